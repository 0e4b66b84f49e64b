import type { StoreOptions } from "../../options.ts";
import type { Register } from "../register.ts";
import { type GitSettings } from "./server.ts";
export declare function openGitRegister(store: string, options?: StoreOptions, settings?: GitSettings): Register;

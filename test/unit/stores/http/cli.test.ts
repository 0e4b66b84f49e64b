import { describe } from "vitest";
import { commandLineTests } from "../remote/command-line.ts";

describe("the command line with a lock server", () => commandLineTests("http"));

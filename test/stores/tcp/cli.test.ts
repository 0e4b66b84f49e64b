import { describe } from "vitest";
import { commandLineTests } from "../command-line.ts";

describe("the command line with a lock server", () => commandLineTests("tcp"));

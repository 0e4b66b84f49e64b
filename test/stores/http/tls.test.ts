import { describe } from "vitest";
import { HTTP } from "../doors.ts";
import { tlsTests } from "../tls.ts";

describe("TLS", () => tlsTests(HTTP));

import { describe } from "vitest";
import { HTTP } from "../remote/doors.ts";
import { tlsTests } from "../remote/tls.ts";

describe("TLS", () => tlsTests(HTTP));

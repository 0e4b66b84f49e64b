import { describe } from "vitest";
import { TCP } from "../remote/doors.ts";
import { tlsTests } from "../remote/tls.ts";

describe("TLS", () => tlsTests(TCP));

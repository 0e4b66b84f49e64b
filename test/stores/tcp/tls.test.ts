import { describe } from "vitest";
import { TCP } from "../doors.ts";
import { tlsTests } from "../tls.ts";

describe("TLS", () => tlsTests(TCP));

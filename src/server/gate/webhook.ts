import { createHmac, timingSafeEqual } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../lock/errors.ts";
import { withBody } from "../http/body.ts";
import type { DoorState } from "../http/context.ts";
import { badRequest, type Exchange, Problem, type Reply, wrongMethod } from "../http/exchange.ts";
import { settle } from "../http/settle.ts";
import { BadPayload, type GateEvent, readEvent } from "./events.ts";

/** GitHub sends none of the events that count here with more than a tenth of it. */
const BODY_LIMIT = 2 * 2 ** 20;
/** How late a wrong signature is answered, as a wrong secret elsewhere. */
const DENIED_DELAY_MS = 100;

/**
 * Answers a delivery of GitHub's. What it says is taken over before the answer, and is on the disk:
 * GitHub sends nothing a second time by itself. `take` gets what the gate can use.
 */
export async function receiveDelivery(
  exchange: Exchange,
  state: DoorState,
  secret: string,
  take: (event: GateEvent) => void,
): Promise<Reply> {
  if (exchange.method !== "POST") throw wrongMethod(exchange, "POST");
  const type = exchange.header("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new Problem(415, "Not JSON", "The App's webhook must send application/json.");
  }
  const body = await withBody(exchange, BODY_LIMIT, state.bodies, (bytes) => bytes);
  if (!isSigned(body, exchange.header("x-hub-signature-256"), secret)) {
    const peer = exchange.request.socket.remoteAddress;
    state.log.limited("warn", "webhook with a wrong signature", { peer });
    await delay(DENIED_DELAY_MS);
    throw new Problem(
      401,
      "Wrong signature",
      "The signature is not that of the App's webhook secret: both sides must have the same.",
    );
  }
  state.prove(exchange.request.socket);
  const event = readSigned(exchange, body, state);
  if (event === null) return { status: 204 };
  take(event);
  return settle(state, { status: event.kind === "requested" ? 202 : 204 });
}

/** Whether the body has the signature of this secret. It takes the same time whatever was sent. */
function isSigned(body: Buffer, shown: string | undefined, secret: string): boolean {
  const right = createHmac("sha256", secret).update(body).digest();
  const [, hex = ""] = /^sha256=([0-9a-f]{64})$/i.exec(shown ?? "") ?? [];
  const given = hex === "" ? Buffer.alloc(right.length) : Buffer.from(hex, "hex");
  return timingSafeEqual(right, given) && hex !== "";
}

function readSigned(exchange: Exchange, body: Buffer, { log }: DoorState): GateEvent | null {
  const name = exchange.header("x-github-event") ?? "";
  try {
    return readEvent(name, JSON.parse(body.toString("utf8")));
  } catch (error) {
    const why = error instanceof BadPayload ? error.message : "it is not JSON";
    log.limited("warn", "webhook cannot be read", { event: name, reason: messageOf(error) });
    throw badRequest(`The payload of ${JSON.stringify(name)} cannot be used: ${why}.`);
  }
}

import type { Secret } from "../access.ts";
import type { Identities } from "../identity/identities.ts";
import type { Storage } from "../storage/types.ts";
import { BodyRoom } from "./body.ts";
import type { DoorState } from "./context.ts";
import { createDispatch } from "./dispatch.ts";
import type { Routes } from "./exchange.ts";
import { openServing, type Serving, type ServingContext, type ServingOptions } from "./serving.ts";
import { Sessions, type SessionsContext } from "./sessions/sessions.ts";

/** Times are in milliseconds, sizes in bytes. */
export interface HttpOptions extends Omit<ServingOptions, "what" | "option"> {
  readonly secret: Secret | null;
  /** Null or absent: there is no secret for looking alone. */
  readonly readSecret?: Secret | null;
  /** Null or absent: there is no policy. */
  readonly identities?: Identities | null;
  readonly maxBody: number;
  /** 0: no limit. */
  readonly maxSessions: number;
}

export interface HttpContext extends Omit<SessionsContext, "storage">, ServingContext {
  readonly storage: Storage;
  readonly history: DoorState["history"];
  /** Null or absent: this server is no gate. */
  readonly gate?: DoorState["gate"];
  readonly routes?: (counts: Counts) => Routes;
}

/** What the metrics ask of the door. */
export interface Counts {
  readonly connections: number;
  readonly sessions: number;
}

export interface HttpDoor extends Serving, Counts {}

/** Opens the door of locks, files and sessions. Throws BAD_OPTION where the address or certificate is no good. */
export async function openHttpDoor(options: HttpOptions, context: HttpContext): Promise<HttpDoor> {
  const sessions = new Sessions(options.maxSessions, context);
  const listening = { ...options, what: "for HTTP ", option: "--http-port" };
  try {
    const serving = await openServing(listening, context, (connections) => {
      const { prove } = connections;
      const state: DoorState = {
        ...context,
        gate: context.gate ?? null,
        sessions,
        secret: options.secret,
        readSecret: options.readSecret ?? null,
        identities: options.identities ?? null,
        prove,
        secure: options.tls !== null,
        maxBody: options.maxBody,
        bodies: new BodyRoom(options.maxBody),
      };
      const counts: Counts = {
        get connections() {
          return connections.connections;
        },
        get sessions() {
          return sessions.size;
        },
      };
      const dispatch = createDispatch(state, context.routes?.(counts) ?? {}, options.host);
      if (options.secret !== null) return dispatch;
      return (request, response) => {
        prove(request.socket);
        return dispatch(request, response);
      };
    });
    const { host, port, cutOff } = serving;
    return {
      host,
      port,
      cutOff,
      get connections() {
        return serving.connections;
      },
      get sessions() {
        return sessions.size;
      },
      async drain() {
        await serving.drain();
        sessions.close();
      },
    };
  } catch (error) {
    sessions.close();
    throw error;
  }
}

import { isIPv6, type Socket } from "node:net";
import type { Logger } from "./log.ts";

/** Why a connection was refused, or closed before it had proven itself. */
export type ConnectionRefusal = "max-connections" | "descriptors" | "address" | "unauthenticated";

/** How many connections both doors together may have. */
export interface AdmissionLimits {
  /** All of them. */
  readonly total: number;
  /** Those that have not authenticated. */
  readonly unauthenticated: number;
  /** Those from one address that have not authenticated. */
  readonly perAddress: number;
}

/** Descriptors that are never used for connections: the data file, the listeners, Node's own. */
const RESERVE = 64;
/** Of all connections this part may be unauthenticated, and of those the same part from one address. */
const PART = 4;
/** No limit is below this: a client opens several connections at once. */
const FEWEST = 4;

/** The limits for so many file descriptors. A server without a secret knows no authentication. */
export function admissionLimits(descriptors: number, hasSecret: boolean): AdmissionLimits {
  const total = Math.max(descriptors - RESERVE, Math.floor(descriptors / 2));
  if (!hasSecret) return { total, unauthenticated: Infinity, perAddress: Infinity };
  const unauthenticated = Math.max(FEWEST, Math.floor(total / PART));
  return {
    total,
    unauthenticated,
    perAddress: Math.max(FEWEST, Math.floor(unauthenticated / PART)),
  };
}

/** How many files this process may have open; Node has raised it to the hard limit at its start. */
export function descriptorLimit(): number {
  const report = process.report.getReport() as {
    userLimits?: { open_files?: { soft?: unknown } };
  };
  const soft = report.userLimits?.open_files?.soft;
  return typeof soft === "number" ? soft : Number.POSITIVE_INFINITY;
}

/** A connection that has not proven itself yet. */
interface Newcomer {
  readonly id: string;
  readonly address: string;
  readonly socket: Socket;
  /** Its descriptor is in use. */
  open: boolean;
}

/**
 * Decides which connections both doors keep. A connection proves itself by authenticating, or on a
 * server without a secret by its first request. Until then it costs its client nothing, so there are
 * bounds, and where one is reached the oldest newcomer is closed and not the latest: an honest client
 * proves itself within milliseconds, an attacker's connections stay and become the oldest.
 * Connections that have proven themselves are never closed for the sake of others.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #log: Logger;
  readonly #newcomers = new Map<string, Newcomer>();
  readonly #byAddress = new Map<string, Map<string, Newcomer>>();
  #open = 0;
  /** How often a connection was refused or closed, by reason. */
  readonly refusals: Record<ConnectionRefusal, number> = {
    "max-connections": 0,
    descriptors: 0,
    address: 0,
    unauthenticated: 0,
  };

  constructor(limits: AdmissionLimits, log: Logger) {
    this.#limits = limits;
    this.#log = log;
  }

  /** Connections that have not proven themselves. */
  get unproven(): number {
    return this.#newcomers.size;
  }

  /** Admits a socket as it is accepted, before TLS. False where there is no room: it is closed then. */
  admit(socket: Socket): boolean {
    const address = addressGroup(socket.remoteAddress ?? "");
    if (!this.#makeRoom(address)) {
      this.refuse("descriptors", { peer: socket.remoteAddress, limit: this.#limits.total });
      socket.destroy();
      return false;
    }
    const newcomer = { id: idOf(socket), address, socket, open: true };
    this.#open += 1;
    this.#newcomers.set(newcomer.id, newcomer);
    const neighbours = this.#byAddress.get(address) ?? new Map();
    this.#byAddress.set(address, neighbours.set(newcomer.id, newcomer));
    socket.once("close", () => this.#leave(newcomer));
    return true;
  }

  /** Takes note that a connection has proven itself; `socket` may be the one with TLS around it. */
  prove(socket: Socket): void {
    const newcomer = this.#newcomers.get(idOf(socket));
    if (newcomer !== undefined) this.#forget(newcomer);
  }

  /** Counts and logs a connection that was refused or closed. */
  refuse(
    reason: ConnectionRefusal,
    fields: { readonly door?: string; readonly peer?: string | undefined; readonly limit: number },
  ): void {
    this.refusals[reason] += 1;
    this.#log.limited("warn", "connection refused", { ...fields, reason });
  }

  /** Closes the oldest newcomer where a limit is reached. False where all have proven themselves. */
  #makeRoom(address: string): boolean {
    const { total, unauthenticated, perAddress } = this.#limits;
    const neighbours = this.#byAddress.get(address);
    if (neighbours !== undefined && neighbours.size >= perAddress) {
      return this.#closeOldest(neighbours, "address", perAddress);
    }
    if (this.#newcomers.size >= unauthenticated) {
      return this.#closeOldest(this.#newcomers, "unauthenticated", unauthenticated);
    }
    return this.#open < total || this.#closeOldest(this.#newcomers, "descriptors", total);
  }

  #closeOldest(
    newcomers: ReadonlyMap<string, Newcomer>,
    reason: ConnectionRefusal,
    limit: number,
  ): boolean {
    const [oldest] = newcomers.values();
    if (oldest === undefined) return false;
    this.refuse(reason, { peer: oldest.socket.remoteAddress, limit });
    // Closes the descriptor at once; its event comes later.
    oldest.socket.destroy();
    this.#leave(oldest);
    return true;
  }

  #leave(newcomer: Newcomer): void {
    if (newcomer.open) this.#open -= 1;
    newcomer.open = false;
    this.#forget(newcomer);
  }

  #forget({ id, address }: Newcomer): void {
    if (!this.#newcomers.delete(id)) return;
    const neighbours = this.#byAddress.get(address);
    neighbours?.delete(id);
    if (neighbours?.size === 0) this.#byAddress.delete(address);
  }
}

/** The ends of a connection: the same for a socket and for the one with TLS around it. */
function idOf({ remoteAddress, remotePort, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localPort}`;
}

/** An address as one client has it: of IPv6 the first half, since the rest is the client's to choose. */
export function addressGroup(address: string): string {
  const plain = address.toLowerCase().startsWith("::ffff:") ? address.slice(7) : address;
  if (!isIPv6(plain)) return plain;
  const [head = "", tail] = plain.split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = new Array<string>(Math.max(0, 8 - first.length - last.length)).fill("0");
  return `${[...first, ...zeros, ...last].slice(0, 4).join(":")}::/64`;
}

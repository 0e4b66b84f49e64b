import type { ConnectionRefusal } from "../admission.ts";
import type { Claim } from "../table/claim.ts";
import type { EndReason } from "../table/ends.ts";
import type { Observer } from "../table/types.ts";
import { Histogram } from "./histogram.ts";

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** What other parts count, at the moment of asking. */
export interface Gauges {
  readonly holders: number;
  readonly waiters: number;
  readonly keys: number;
  readonly tcpConnections: number;
  readonly httpConnections: number;
  readonly sessions: number;
  readonly listeners: number;
  /** Changes cannot be written to the data file just now. */
  readonly trouble: boolean;
  /** Connections that have not authenticated. */
  readonly unproven: number;
  /** Connections that were refused or closed, by reason. */
  readonly refusals: Readonly<Record<ConnectionRefusal, number>>;
}

export interface MetricsOptions {
  readonly version: string;
  /** Wall clock, milliseconds. */
  readonly startedAt: number;
  readonly now: () => number;
}

/**
 * Counts what happens to all keys together, for Prometheus. Single keys are in key-metrics.ts; no label
 * names an owner, since every new one is a series that a monitoring server keeps for weeks.
 */
export class Metrics implements Observer {
  readonly #options: MetricsOptions;
  readonly #waits = new Histogram();
  readonly #holds = new Histogram();
  readonly #ended: Record<EndReason, number> = noEnds();
  readonly #left: Record<EndReason, number> = noEnds();
  #grants = 0;
  #renewals = 0;

  constructor(options: MetricsOptions) {
    this.#options = options;
  }

  granted(claim: Claim): void {
    this.#grants += 1;
    this.#waits.observe(claim.waited);
  }

  renewed(): void {
    this.#renewals += 1;
  }

  ended(claim: Claim, reason: EndReason, wasHeld: boolean): void {
    if (!wasHeld) {
      this.#left[reason] += 1;
      return;
    }
    this.#ended[reason] += 1;
    this.#holds.observe(this.#options.now() - claim.since);
  }

  render(gauges: Gauges): string {
    const { version, startedAt } = this.#options;
    const ended = this.#ended;
    const left = this.#left;
    return [
      gauge("holdfast_holders", "Leases held now.", gauges.holders),
      gauge("holdfast_waiters", "Claims waiting in line now.", gauges.waiters),
      gauge("holdfast_keys", "Keys known now, idle ones included.", gauges.keys),
      head("holdfast_connections", "gauge", "Open connections."),
      `holdfast_connections{door="tcp"} ${gauges.tcpConnections}\n`,
      `holdfast_connections{door="http"} ${gauges.httpConnections}\n`,
      gauge(
        "holdfast_unauthenticated_connections",
        "Open connections that have not authenticated, or sent no request where there is no token.",
        gauges.unproven,
      ),
      head(
        "holdfast_connections_refused_total",
        "counter",
        "Connections refused, or closed before they authenticated, by the limit that was reached.",
      ),
      ...Object.entries(gauges.refusals).map(
        ([reason, count]) => `holdfast_connections_refused_total{reason="${reason}"} ${count}\n`,
      ),
      gauge("holdfast_sessions", "HTTP sessions alive now.", gauges.sessions),
      gauge("holdfast_event_listeners", "Readers of /admin/events now.", gauges.listeners),
      gauge(
        "holdfast_storage_trouble",
        "1 while changes cannot be written to the data file.",
        gauges.trouble ? 1 : 0,
      ),
      counter("holdfast_grants_total", "Leases granted.", this.#grants),
      counter("holdfast_renewals_total", "Leases renewed.", this.#renewals),
      counter("holdfast_releases_total", "Leases ended by their holder.", ended.released),
      counter("holdfast_expiries_total", "Leases that ran out.", ended.expired),
      counter("holdfast_breaks_total", "Leases broken by an operator.", ended.broken),
      counter(
        "holdfast_hangups_total",
        "Leases freed because their connection closed or their session ended.",
        ended.hangup,
      ),
      counter(
        "holdfast_losses_total",
        "Leases that ended without a release: expired, broken or hung up.",
        ended.expired + ended.broken + ended.hangup,
      ),
      counter(
        "holdfast_abandoned_waits_total",
        "Claims that left the line without a grant: timed out, hung up or refused by a stop.",
        left.withdrawn + left.hangup + left.shutdown,
      ),
      counter(
        "holdfast_superseded_total",
        "Claims that a newer one ended while they waited (line: newest).",
        left.superseded,
      ),
      head("holdfast_wait_seconds", "histogram", "Time from joining the line to the grant."),
      this.#waits.render("holdfast_wait_seconds"),
      head("holdfast_hold_seconds", "histogram", "Time from the grant to the end of the lease."),
      this.#holds.render("holdfast_hold_seconds"),
      gauge(
        "process_start_time_seconds",
        "Start of the process, seconds since the epoch.",
        startedAt / 1_000,
      ),
      head("holdfast_build_info", "gauge", "Always 1; the labels say what runs."),
      `holdfast_build_info{version="${escapeLabel(version)}",node="${escapeLabel(process.version)}"} 1\n`,
    ].join("");
  }
}

function noEnds(): Record<EndReason, number> {
  return {
    released: 0,
    withdrawn: 0,
    hangup: 0,
    expired: 0,
    broken: 0,
    shutdown: 0,
    superseded: 0,
    shared: 0,
  };
}

function gauge(name: string, help: string, value: number): string {
  return `${head(name, "gauge", help)}${name} ${value}\n`;
}

function counter(name: string, help: string, value: number): string {
  return `${head(name, "counter", help)}${name} ${value}\n`;
}

export function head(name: string, type: "counter" | "gauge" | "histogram", help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

export function escapeLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

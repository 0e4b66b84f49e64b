import type { Clock } from "../../../lock/time.ts";
import type { Admission } from "../../admission.ts";
import type { Logger } from "../../log.ts";
import { Events } from "../../observers/events.ts";
import { KeyMetrics } from "../../observers/key-metrics.ts";
import { METRICS_TYPE, Metrics } from "../../observers/metrics.ts";
import { createPage } from "../../page/page.ts";
import type { Storage } from "../../storage/types.ts";
import type { Observer } from "../../table/types.ts";
import type { Handler, Routes } from "../exchange.ts";
import { allowReading, refuseJobs } from "../exchange.ts";
import { settle } from "../settle.ts";
import { createAdmin } from "./admin.ts";
import { createHealth } from "./health.ts";
import { TableLocks, type TableSource } from "./table-locks.ts";

export interface PanelSource extends Omit<TableSource, "now"> {
  readonly log: Logger;
  readonly storage: Pick<Storage, "settled" | "trouble">;
  /** Why changes cannot be written just now; null: all is well. */
  trouble(): string | null;
  tcpConnections(): number;
  httpConnections(): number;
  sessions(): number;
  readonly admission: Pick<Admission, "unproven" | "refusals">;
}

/** What shows the table to operators: admin, live events, metrics, health and the page. */
export interface Panel {
  /** For the table, which is made before there are routes. */
  readonly observers: readonly Observer[];
  routes(source: PanelSource): Routes;
  /** Ends all live streams, so that a server which stops need not wait for them. */
  close(): void;
}

export function createPanel(options: { readonly clock: Clock; readonly version: string }): Panel {
  const { clock, version } = options;
  const startedAt = clock.now();
  const metrics = new Metrics({ version, startedAt, now: clock.now });
  const keyMetrics = new KeyMetrics(clock);
  const events = new Events({ monotonic: clock.monotonic });

  function showMetrics(source: PanelSource): Handler {
    return (exchange) => {
      allowReading(exchange);
      refuseJobs(exchange);
      const { table } = source;
      const body = metrics.render({
        holders: table.held,
        waiters: table.waiting,
        keys: table.keys,
        tcpConnections: source.tcpConnections(),
        httpConnections: source.httpConnections(),
        sessions: source.sessions(),
        listeners: events.listeners,
        trouble: source.trouble() !== null,
        unproven: source.admission.unproven,
        refusals: source.admission.refusals,
      });
      const text = body + keyMetrics.render(table);
      return { status: 200, headers: { "content-type": METRICS_TYPE }, body: text };
    };
  }

  return {
    observers: [metrics, keyMetrics, events],
    routes: (source) => ({
      admin: createAdmin({
        log: source.log,
        locks: new TableLocks({ ...source, now: clock.now }),
        events,
        version,
        startedAt,
        now: clock.now,
        settle: (reply) => settle(source, reply),
        access: (mayChange) => (mayChange ? null : { access: "read" }),
      }),
      metrics: showMetrics(source),
      health: createHealth({ version, trouble: source.trouble }),
      page: createPage(),
    }),
    close: () => events.close(),
  };
}

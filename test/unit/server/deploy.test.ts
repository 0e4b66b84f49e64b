import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { isThere } from "../../helpers/needs.ts";
import { parseExposition } from "../../helpers/panel/exposition.ts";
import { startPanel } from "../../helpers/panel/panel.ts";
import { makeCertificate } from "../../helpers/server/certificate.ts";
import { startHttp } from "../../helpers/server/http-server.ts";
import { showing } from "../stores/remote/trust.ts";

const run = promisify(execFile);
const pathOf = (name: string) => fileURLToPath(new URL(`../../../deploy/${name}`, import.meta.url));
const textOf = (name: string) => readFileSync(pathOf(name), "utf8");

describe("deploy/grafana-dashboard.json", () => {
  it("asks for metrics and labels that the server has", async () => {
    const server = await startPanel();
    const client = await server.connect();
    await client.free("k", await client.take("k"));
    const families = parseExposition(await (await server.ask("/metrics")).text());
    const { panels, templating } = JSON.parse(textOf("grafana-dashboard.json")) as {
      panels: { title: string; targets: { expr: string; legendFormat: string }[] }[];
      templating: { list: { query: string }[] };
    };
    const asked = [
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
      ...templating.list.map(({ query }) => query),
    ].flatMap((text) => text.match(/\b(?:holdfast|process)_\w+/g) ?? []);
    expect(asked.length).toBeGreaterThan(20);
    const known = [...families].flatMap(([name, { samples }]) => [
      name,
      ...[...samples.keys()].map((sample) => sample.split("{")[0] as string),
    ]);
    expect(asked.filter((name) => !known.includes(name))).toEqual([]);
    const labels = panels
      .flatMap(({ targets }) => targets)
      .flatMap(({ legendFormat, expr }) =>
        [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => ({ label, expr })),
      )
      // Prometheus itself adds this one.
      .filter(({ label }) => label !== "instance");
    for (const { label, expr } of labels) {
      const name = expr.match(/\bholdfast_\w+/)?.[0] ?? "";
      expect([...(families.get(name)?.samples.keys() ?? [])].join(" "), expr).toContain(
        `${label}=`,
      );
    }
  });
});

describe("deploy/Dockerfile", () => {
  it("has a health check that says whether the server is well", async () => {
    const line = /^HEALTHCHECK .*? CMD (\[.*\])$/m.exec(textOf("Dockerfile"))?.[1] ?? "[]";
    const [program, flag, script = ""] = JSON.parse(line) as string[];
    expect([program, flag]).toEqual(["node", "-e"]);
    const certificate = makeCertificate({ hosts: { names: ["locks.internal"], addresses: [] } });
    const { port, server } = await startHttp(showing(certificate), { ca: certificate.cert });
    const here = script.replace("8080", String(port));
    expect(here).not.toBe(script);
    await run(process.execPath, ["-e", here]);
    await server.running.stop();
    await expect(run(process.execPath, ["-e", here])).rejects.toMatchObject({ code: 1 });
  });
});

const analyze = isThere(
  "systemd-analyze",
  spawnSync("systemd-analyze", ["--version"]).status === 0,
);

describe.skipIf(!analyze)("deploy/holdfast.service", () => {
  it("is a unit about which systemd has nothing to say", () => {
    const { status, stdout, stderr } = spawnSync(
      "systemd-analyze",
      ["verify", pathOf("holdfast.service")],
      { encoding: "utf8" },
    );
    expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: "" });
  });
});

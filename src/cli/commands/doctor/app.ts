import { isLockError, messageOf } from "../../../lock/errors.ts";
import { quote } from "../../../lock/text.ts";
import { systemClock } from "../../../lock/time.ts";
import { type GateConfig, readGateConfig } from "../../../server/gate/config.ts";
import { fieldsOf, GitHub, type GitHubAnswer } from "../../../server/gate/github.ts";
import { VERSION } from "../../help-text.ts";
import { type Finding, failed } from "./finding.ts";

/** What the gate asks and is told: see docs/gate.md. */
const RIGHTS = { actions: ["read", "write"], deployments: ["write"] };
const EVENTS = ["deployment_protection_rule", "deployment_status", "workflow_job", "workflow_run"];
const HOOK = "/github/webhook";

type Fields = ReturnType<typeof fieldsOf>;

/** Whether the GitHub App of this file can be the gate: its key, rights, webhook, installations and environments. */
export async function appFindings(file: string): Promise<Finding[]> {
  let config: GateConfig;
  try {
    config = await readGateConfig(file);
  } catch (error) {
    if (isLockError(error)) return [failed("app", error)];
    throw error;
  }
  const github = new GitHub(config, systemClock, VERSION);
  try {
    const answer = await github.askAsApp("GET", "/app");
    if (answer.status !== 200) return [strangeApp(config, answer)];
    const app = fieldsOf(answer.body);
    return [
      good("app", `${quote(String(app.slug))} at ${config.api} takes the key of ${file}`),
      rightsFinding("rights", "the App", app),
      eventsFinding(app),
      await webhookFinding(github),
      ...(await installFindings(github, config, String(app.slug))),
    ];
  } catch (error) {
    const todo = "try again when GitHub answers; a server that is the gate does so by itself";
    return [bad("app", `${config.api} cannot be asked: ${messageOf(error)}`, todo)];
  } finally {
    github.close();
  }
}

function good(about: string, says: string): Finding {
  return { about, ok: true, says };
}

function bad(about: string, says: string, todo: string): Finding {
  return { about, ok: false, says, todo };
}

function strangeApp({ appId, api }: GateConfig, { status }: GitHubAnswer): Finding {
  const says = `${api} does not take the private key for the App ${appId} (${status})`;
  const todo = "compare appId with the App's page, and make a new private key there";
  return bad("app", says, todo);
}

function rightsFinding(about: string, whose: string, { permissions }: Fields): Finding {
  const given = fieldsOf(permissions);
  const missing = Object.entries(RIGHTS).filter(
    ([name, few]) => !few.includes(String(given[name])),
  );
  if (missing.length === 0) return good(about, `${whose} has actions: read and deployments: write`);
  const names = missing.map(([name, [least]]) => `${name}: ${least}`).join(" and ");
  return bad(
    about,
    `${whose} lacks ${names}`,
    "add it at the App's page, and accept it where the App is installed",
  );
}

function eventsFinding({ events }: Fields): Finding {
  const missing = EVENTS.filter((name) => !Array.isArray(events) || !events.includes(name));
  if (missing.length === 0) return good("events", "the App gets all four");
  return bad("events", `the App does not get ${missing.join(", ")}`, "tick them at the App's page");
}

/** Where GitHub sends its events, and how the last one was answered. */
async function webhookFinding(github: GitHub): Promise<Finding> {
  const about = "webhook";
  const asked = await github.askAsApp("GET", "/app/hook/config");
  const { url, content_type: type, insecure_ssl: insecure } = fieldsOf(asked.body);
  if (typeof url !== "string" || !URL.canParse(url) || new URL(url).pathname !== HOOK) {
    const says = `GitHub sends its events to ${typeof url === "string" && url !== "" ? quote(url) : "nobody"}`;
    return bad(about, says, `set the App's webhook to https://YOUR-SERVER${HOOK}`);
  }
  if (type !== "json") {
    return bad(about, `GitHub sends its events as ${type}`, "set their type to application/json");
  }
  if (!url.startsWith("https:") || String(insecure) !== "0") {
    const says = `GitHub sends its events to ${url} without a look at its certificate`;
    return bad(about, says, "use https://, and enable SSL verification at the App's page");
  }
  const { body } = await github.askAsApp("GET", "/app/hook/deliveries?per_page=1");
  const last = Array.isArray(body) && body.length > 0 ? fieldsOf(body[0]) : null;
  if (last === null) return { about, ok: null, says: `GitHub has sent nothing to ${url} yet` };
  const code = Number(last.status_code);
  const which = `the last event, at ${last.delivered_at}, was answered with ${code}`;
  if (code >= 200 && code < 300) return good(about, `${url}: ${which}`);
  if (code === 401) {
    const todo =
      "give the App the secret of webhookSecretFile, and restart the server after a change";
    return bad(about, `${url}: ${which}, since the secrets differ`, todo);
  }
  const todo = "look whether the server runs there and can be reached from GitHub over TLS";
  return bad(about, `${url}: ${which} (${last.status})`, todo);
}

async function installFindings(
  github: GitHub,
  { rules }: GateConfig,
  slug: string,
): Promise<Finding[]> {
  const { body } = await github.askAsApp("GET", "/app/installations?per_page=100");
  const all = (Array.isArray(body) ? body : []).map(fieldsOf);
  const owners = [...new Set(rules.map(({ repository }) => repository.split("/")[0] as string))];
  const findings: Finding[] = [];
  for (const owner of owners) {
    const found = all.find(
      ({ account }) => String(fieldsOf(account).login).toLowerCase() === owner,
    );
    if (found === undefined) {
      findings.push(
        bad("install", `the App is not installed at ${owner}`, "install it from the App's page"),
      );
    } else if (found.suspended_at != null) {
      findings.push(
        bad("install", `the App is suspended at ${owner}`, "let an administrator take that back"),
      );
    } else {
      findings.push(rightsFinding("install", `the App at ${owner}`, found));
      for (const rule of rules) {
        const isOne = rule.repository.startsWith(`${owner}/`) && !/\*/.test(pathOf(rule));
        if (isOne) findings.push(await ruleFinding(github, Number(found.id), rule, slug));
      }
    }
  }
  return findings;
}

type Rule = Pick<GateConfig["rules"][number], "repository" | "environment">;

function pathOf({ repository, environment }: Rule): string {
  return `${repository}:${environment}`;
}

/** Whether the environment asks the App. Patterns with `*` name too many to look at. */
async function ruleFinding(
  github: GitHub,
  installation: number,
  rule: Rule,
  slug: string,
): Promise<Finding> {
  const { repository, environment } = rule;
  const path = `/repos/${repository}/environments/${encodeURIComponent(environment)}/deployment_protection_rules`;
  const { status, body } = await github.ask(installation, "GET", path);
  if (status === 404) {
    const todo = "make the environment, or install the App on its repository too";
    return bad("rule", `the App sees no ${pathOf(rule)}`, todo);
  }
  if (status !== 200) {
    return {
      about: "rule",
      ok: null,
      says: `GitHub does not tell about ${pathOf(rule)}: ${status}`,
    };
  }
  const { custom_deployment_protection_rules: list } = fieldsOf(body);
  const isOn = (each: Fields) => each.enabled !== false && fieldsOf(each.app).slug === slug;
  if (Array.isArray(list) && list.map(fieldsOf).some(isOn)) {
    return good("rule", `${pathOf(rule)} asks the App`);
  }
  const todo = "tick the App in its deployment protection rules";
  return bad("rule", `${pathOf(rule)} lets runs in without asking the App`, todo);
}

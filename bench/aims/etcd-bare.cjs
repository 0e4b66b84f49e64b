/**
 * The least that a Node program can do for a lock on etcd: the requests of `holdfast run` over a
 * connection that is kept, and `true` in between. What it takes is the limit for a program in Node.
 */
const { spawnSync } = require("node:child_process");
const { Agent, request } = require("node:http");

const agent = new Agent({ keepAlive: true });
const [port, name] = process.argv.slice(2);
const key = Buffer.from(name).toString("base64");

function ask(path, body) {
  return new Promise((resolve, reject) => {
    const options = { agent, host: "127.0.0.1", port, path: `/v3/${path}`, method: "POST" };
    const asked = request(options, async (response) => {
      let text = "";
      for await (const chunk of response) text += chunk;
      if (response.statusCode !== 200) reject(new Error(text));
      else resolve(JSON.parse(text));
    });
    asked.on("error", reject).end(JSON.stringify(body));
  });
}

(async () => {
  const [{ ID: lease }] = await Promise.all([
    ask("lease/grant", { TTL: 30 }),
    ask("kv/range", { key }),
  ]);
  const isFree = { key, target: "VERSION", result: "EQUAL", version: 0 };
  const put = { requestPut: { key, value: key, lease } };
  await ask("kv/txn", { compare: [isFree], success: [put] });
  spawnSync("true");
  const isHeld = { key, target: "VERSION", result: "EQUAL", version: 1 };
  await ask("kv/txn", { compare: [isHeld], success: [{ requestDeleteRange: { key } }] });
  process.exit(0);
})();

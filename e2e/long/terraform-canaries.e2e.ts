import { startMotoServer, type MotoServer } from "@cloudwright/clouds/testing";
import { requireTool } from "@cloudwright/platform";
import { createFileFaults } from "@cloudwright/simulator";
import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAdminCalls, type AdminCalls } from "../admin-calls.ts";
import { dumpBytes, dumpTables } from "../canaries/dump.ts";
import { createCanary } from "../canaries/plant.ts";
import { sampleProcesses, type ProcessesSeen } from "../canaries/sample-processes.ts";
import { findCanaries, findInFiles } from "../canaries/search.ts";
import { writeSecretivePlugIn } from "../canaries/secretive-plug-in.ts";
import { runCloud, type CommandOutcome } from "../cloud-command.ts";
import { startServer, type RunningServer } from "../server.ts";
import { waitUntil } from "../wait-until.ts";

const tool = requireTool("terraform");
if (!tool.found) console.log(`skipped: ${tool.reason}`);
const moto = requireTool("moto_server");
const skip = !tool.found || process.platform !== "linux";
const project = "/v1/projects/default";

describe.skipIf(skip)("secrets used by Terraform runs", () => {
  const canaries = new Map(
    ["secretAccessKey", "externalId", "real key", "real external id", "password", "token", "next password"].map(
      (what) => [what, createCanary()] as const,
    ),
  );
  const get = (what: string): string => canaries.get(what) ?? "";
  /** A value that the searches must find. Without it, a broken search would look like a success. */
  const control = new Map([["a control", createCanary()]]);
  let server: RunningServer;
  let amazon: MotoServer | undefined;
  let calls: AdminCalls;
  let plugIn: string;
  let temporary: string;
  let before: Set<string>;
  let seen: ProcessesSeen;
  let atRest: string[];
  const people = new Map<string, string>();
  const said: string[] = [];
  const cloud = (who: string, ...args: string[]): Promise<CommandOutcome> => {
    const key = people.get(who);
    return runCloud({ home: server.home, ...(key === undefined ? {} : { environment: { CLOUDWRIGHT_API_KEY: key } }) }, ...args);
  };
  const must = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await cloud("admin", ...args);
    if (code !== 0) throw new Error(`cloud ${args.join(" ")}: ${err}`);
    said.push(out, err);
    return out;
  };
  const searchDatabase = async (what: ReadonlyMap<string, string>): Promise<string[]> => [
    ...findCanaries(what, "the tables", await dumpTables(server.database)),
    ...(await dumpBytes(server.database)).flatMap(({ where, bytes }) => findCanaries(what, where, bytes)),
  ];

  beforeAll(async () => {
    before = new Set(await readdir(tmpdir()));
    [plugIn, temporary] = (await Promise.all(["cw-plug-in-", "cw-temporary-"].map((name) => mkdtemp(join(tmpdir(), name))))) as [
      string,
      string,
    ];
    const path = await writeSecretivePlugIn(plugIn, { password: get("password"), token: get("token") });
    amazon = moto.found ? await startMotoServer(moto.path) : undefined;
    server = await startServer({
      environment: {
        ...(amazon === undefined ? {} : { AWS_ENDPOINT_URL: amazon.address, CLOUDWRIGHT_AGENT_ENVIRONMENT: "AWS_ENDPOINT_URL" }),
        CLOUDWRIGHT_LOG_LEVEL: "trace",
        CLOUDWRIGHT_AGENT_PLUGINS: path,
        // The simulated cloud keeps resource attributes in clear text. Keeping them in files prevents secrets from reaching the database.
        CLOUDWRIGHT_AGENT_SIMULATOR: "files",
        CLOUDWRIGHT_DRIFT_CHECK: "Network=2s,*=off",
        TMPDIR: temporary,
      },
    });
    calls = createAdminCalls(server);
    for (const role of ["viewer", "editor"]) people.set(role, (await calls.createUser(role, role, "default")).key);
    const sampler = sampleProcesses(new Map([...canaries, ...control]));
    seen = sampler;
    await plantControl();
    await playThrough();
    await sampler.stop();
    [...seen.statePasswords].forEach((password, index) => canaries.set(`endpoint password ${index}`, password));
  });
  afterAll(async () => {
    await server?.stop();
    await amazon?.close();
    for (const folder of [plugIn, temporary]) if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  /** Runs a process with the control value in its environment and arguments until the sampler has found the value in both. */
  async function plantControl(): Promise<void> {
    const [text = ""] = control.values();
    const child = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1000)", text], { env: { CONTROL: text } });
    const places = ["a control in argv of node", "a control in environ of node"];
    try {
      await waitUntil("the sampler finds the control value", async () => places.every((place) => seen.found.has(place)));
    } finally {
      child.kill();
    }
  }

  async function playThrough(): Promise<void> {
    const { secretAccessKey, externalId } = Object.fromEntries(canaries);
    const aws = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: secretAccessKey ?? "", externalId: externalId ?? "" };
    await calls.create(`${project}/accounts`, { metadata: { name: "cloudy" }, spec: { simulated: true, aws } });
    await calls.create(`${project}/accounts`, { metadata: { name: "blue" }, spec: { simulated: true, azure: {} } });
    const real = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: get("real key"), externalId: get("real external id") };
    const spec = { aws: { ...real, roleArn: "arn:aws:iam::210987654321:role/builder", accountId: "210987654321" } };
    if (amazon !== undefined) await calls.create(`${project}/accounts`, { metadata: { name: "real" }, spec });
    const faults = createFileFaults(join(server.home, "agent", "simulated", "mishaps.json"));
    await must("network", "create", "plain", "--account", "cloudy", "--region", "eu-west-1", "--zones", "a", "--wait");
    await faults.add(
      { kind: "echo_secrets", where: "warning", operation: "create", type: "sim_cluster" },
      { kind: "echo_secrets", where: "warning", operation: "configure" },
      { kind: "echo_secrets", where: "stderr", operation: "read", type: "sim_cluster" },
      { kind: "echo_secrets", where: "error", operation: "update", type: "sim_cluster" },
    );
    await must("network", "create", "secretive", "--account", "blue", "--region", "westeurope", "--infra-approval", "always");
    await waitUntil(
      "the plan waits for an approval",
      async () => (await must("run", "list", "--state", "NEEDS_APPROVAL", "-o", "name")) !== "",
    );
    // The database contains the whole plan at this point, so the dump covers it.
    expect((await dumpBytes(server.database)).map(({ where }) => where)).toContain("plan.content");
    atRest = [...(await searchDatabase(canaries)), ...(await findInFiles(canaries, join(server.home, "agent"), ["simulated/"]))];
    await must("run", "approve", "network/secretive", "--yes", "--wait");
    // The password changes. The first attempt to set the new one fails with an error message that contains both the old and the new
    // password.
    await writeSecretivePlugIn(plugIn, { password: get("next password"), token: get("token") });
    await must("network", "update", "secretive", "--infra-approval", "risky", "--wait");
    expect((await faults.list()).map(({ seen: times }) => times > 0)).toEqual([true, true, true, true]);
  }

  test("M064 M074 M084 the secrets were used: the cloud and the state contain them, and only Terraform received them", async () => {
    expect(await findInFiles(canaries, join(server.home, "agent", "simulated"), [])).not.toEqual([]);
    const state = (await cloud("admin", "state", "pull", "network/secretive")).out;
    expect(findCanaries(canaries, "the state", state)).toEqual(["next password in the state"]);
    expect(seen.found).toContain("password in environ of terraform");
    expect(seen.found).toContain("token in environ of terraform");
    expect(seen.statePasswords.size).toBeGreaterThan(2);
  });

  test.skipIf(!moto.found)(
    "M020 a real account is verified with AWS by its role and external id, and shows its identity",
    async () => {
      const { status } = await calls.get(`${project}/accounts/real`);
      const identity = expect.stringMatching(/^arn:aws:sts::210987654321:assumed-role\/builder\/cloudwright-/) as string;
      expect(status).toMatchObject({ phase: "RUNNING", accountId: "210987654321", identity });
      const asked = amazon?.seen.find(({ action }) => action === "AssumeRole");
      expect(asked?.body.get("ExternalId")).toBe(get("real external id"));
      const records = await (await calls.send("GET", `${project}/auditrecords?pageSize=1000`)).text();
      expect(records).toMatch(/"verb":"exchange","kind":"Account"/);
    },
  );

  test("M064 they appear on no command line, and only in Terraform's environment", () => {
    const others = [...seen.found].filter((each) => !each.startsWith("a control") && !each.endsWith(" in environ of terraform"));
    expect(others).toEqual([]);
  });

  test("M064 M077 they appear in no log: not the server's, the agent's, a run's, or the raw log that the agent keeps", async () => {
    const log = server.process.stderr() + server.process.stdout();
    expect(findCanaries(canaries, "the log", log)).toEqual([]);
    expect(log).toContain("network.apply");
    const runs = (await cloud("viewer", "run", "list", "--entity", "network/secretive", "-o", "name")).out.trim().split("\n");
    const lines = await Promise.all(runs.map(async (uid) => (await cloud("viewer", "run", "logs", uid)).out));
    expect(lines.filter((each) => each.includes("[secret]")).length).toBeGreaterThan(1);
    expect(findCanaries(canaries, "the lines of runs", lines.join("\n"))).toEqual([]);
    const agent = join(server.home, "agent");
    expect(await findInFiles(canaries, agent, ["simulated/"])).toEqual([]);
    const [text = ""] = control.values();
    await writeFile(join(agent, "logs", "control.zst"), zstdCompressSync(`a line with ${text}`));
    expect(await findInFiles(control, agent, [])).toEqual(["a control in logs/control.zst"]);
  });

  test("M064 X035 they appear in no response to a viewer or editor: no entity, event, timeline, plan, task or state", async () => {
    const runs = (await (await calls.send("GET", `${project}/runs`)).json()) as { items: { uid: string; operation: string }[] };
    const uid = (await calls.get(`${project}/networks/secretive`)).metadata.uid ?? "";
    const collections = "accounts networks operations tasks events auditrecords runs drifts?all=true states".split(" ");
    const paths = [
      ...collections,
      ...runs.items.flatMap((run) => [`runs/${run.uid}`, `runs/${run.uid}/plan`, `operations/${run.operation}/timeline`]),
      `states/${uid}`,
      `states/${uid}/versions`,
      `states/${uid}/content`,
      `states/${uid}/diff?from=1&to=2`,
    ];
    expect(runs.items.length).toBeGreaterThan(2);
    for (const who of ["viewer", "editor"]) {
      const headers = { authorization: `Bearer ${people.get(who) ?? ""}` };
      const answers = await Promise.all(
        paths.map(async (path) => {
          const response = await calls.send("GET", `${project}/${path}`, undefined, headers);
          return `${path}: ${response.status} ${await response.text()}`;
        }),
      );
      expect(answers.flatMap((answer) => findCanaries(canaries, answer.slice(0, 80), answer))).toEqual([]);
      const all = answers.join("\n");
      expect(all).toContain(`states/${uid}/content: 403`);
      expect(all).toMatch(/"path":"password","before":null,"after":null,"sensitive":true/);
      expect(answers.filter((answer) => / 200 /.test(answer)).length).toBeGreaterThan(paths.length / 2);
    }
    expect(findCanaries(canaries, "what the administrator saw", said.join("\n"))).toEqual([]);
  });

  test("M064 M071 they do not appear in the database or its files, neither while a plan waits nor afterwards", async () => {
    expect(atRest).toEqual([]);
    expect(await searchDatabase(canaries)).toEqual([]);
    expect(await findInFiles(canaries, server.database, [])).toEqual([]);
    const [text = ""] = control.values();
    await calls.create(`${project}/environments`, { metadata: { name: "control", annotations: { "a.b/c": text } } });
    expect(await searchDatabase(control)).toEqual(["a control in the tables"]);
    expect(findCanaries(control, "packed bytes", gzipSync(`before ${text} after`))).toHaveLength(1);
  });

  test("M064 they appear in no remaining file: no plan, no working directory, no temporary folder", async () => {
    const meant = ["admin.key", "agent/simulated/", "agent/logs/control.zst"];
    // Polls, because a run may still be removing its files. Files that are never removed fail the test.
    await expect.poll(() => findInFiles(canaries, server.home, meant)).toEqual([]);
    const listLeft = async (): Promise<string[]> =>
      (await readdir(join(server.home, "agent"), { recursive: true })).filter((name) =>
        /tfplan|(?<!\.terraform\/terraform)\.tfstate|tfvars/.test(name),
      );
    await expect.poll(listLeft).toEqual([]);
    const fresh = (await readdir(tmpdir())).filter(
      (name) => !before.has(name) && /^(cw-temporary|terraform|tf|plugin|go-)/i.test(name),
    );
    const search = async (what: ReadonlyMap<string, string>): Promise<string[]> =>
      (await Promise.all(fresh.map((name) => findInFiles(what, join(tmpdir(), name), []).catch(() => [])))).flat();
    expect(await search(canaries)).toEqual([]);
    await writeFile(join(temporary, "control"), Buffer.from(`x${[...control.values()].join("")}y`).toString("base64"));
    expect(await search(control)).toEqual(["a control in control"]);
  });
});

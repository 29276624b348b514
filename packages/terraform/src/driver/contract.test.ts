import { Secret } from "@cloudwright/platform";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { TerraformEvent } from "../events/event.ts";
import { openFakeTerraform } from "../testing/fake-terraform.ts";
import { readAllFiles } from "../testing/read-all-files.ts";
import { createTestDirectory } from "../testing/test-terraform.ts";
import { createHttpBackend } from "./backends/http.ts";

test("M062 every command is non-interactive and colourless, and waits for locks only for the configured time", async () => {
  const terraform = openFakeTerraform("ok", { lockTimeoutSeconds: 7, parallelism: 3 });
  await terraform.init();
  const planned = await terraform.plan({ mode: "destroy", refresh: false, replace: ["a.b"], target: ["a.c"] });
  if (planned.outcome !== "done") throw planned.fault;
  await terraform.apply(planned.value.id);
  await terraform.import("a.b", "-id");
  await terraform.removeFromState(["a.b"]);
  await terraform.forceUnlock("id");
  const calls = terraform.calls().map(({ args }) => args.join(" "));
  const own = join(terraform.directory, ".cloudwright/plans");
  expect(calls.toSorted()).toEqual([
    `apply -json -input=false -no-color -lock-timeout=7s -parallelism=3 ${own}/${planned.value.id}.tfplan`,
    "force-unlock -no-color -force -- id",
    "import -input=false -no-color -lock-timeout=7s -- a.b -id",
    "init -input=false -no-color -json",
    expect.stringMatching(
      /^plan -json -input=false -no-color -out=\S+ -lock-timeout=7s -parallelism=3 -detailed-exitcode -destroy -refresh=false -replace=a.b -target=a.c$/,
    ),
    "state rm -no-color -lock-timeout=7s a.b",
  ]);
});

test("M042 a refresh-only plan reads the state without locking it", async () => {
  const terraform = openFakeTerraform("ok", { lockTimeoutSeconds: 7 });
  await terraform.plan({ mode: "refresh" });
  const [call] = terraform.calls();
  expect(call?.args).toEqual(expect.arrayContaining(["-refresh-only", "-lock=false"]));
  expect(call?.args.join(" ")).not.toContain("-lock-timeout");
});

test("M064 M066 secrets are passed in the environment, never in arguments, and no settings of the agent or a user are inherited", async () => {
  const terraform = openFakeTerraform("ok", {
    environment: { AWS_REGION: "eu-central-1" },
    secretEnvironment: { AWS_SECRET_ACCESS_KEY: new Secret("aws-canary") },
    secretVariables: { password: new Secret("var-canary") },
    backend: createHttpBackend({ address: "http://127.0.0.1:1/state", username: "run", password: new Secret("password-canary") }),
    providers: {
      pluginCache: join(createTestDirectory(), "plug-ins"),
      reattach: { "a/b/c": { pid: 1, socket: "/s", protocolVersion: 6 } },
    },
  });
  await terraform.plan();
  const [call] = terraform.calls();
  expect(call?.args.join(" ")).not.toContain("canary");
  const ours = Object.fromEntries(
    Object.entries(call?.env ?? {}).filter(([name]) => /^(TF_|AWS_|CHECK|NODE_|HOME$|GOGC$|GOMEMLIMIT$)/.test(name)),
  );
  expect(ours).toEqual({
    AWS_REGION: "eu-central-1",
    AWS_SECRET_ACCESS_KEY: "aws-canary",
    CHECKPOINT_DISABLE: "1",
    GOGC: "800",
    GOMEMLIMIT: "1GiB",
    HOME: join(terraform.directory, ".cloudwright/home"),
    NODE_EXTRA_CA_CERTS: "",
    TF_CLI_CONFIG_FILE: join(terraform.directory, ".cloudwright/terraform.rc"),
    TF_HTTP_ADDRESS: "http://127.0.0.1:1/state",
    TF_HTTP_LOCK_ADDRESS: "http://127.0.0.1:1/state",
    TF_HTTP_PASSWORD: "password-canary",
    TF_HTTP_UNLOCK_ADDRESS: "http://127.0.0.1:1/state",
    TF_HTTP_USERNAME: "run",
    TF_IN_AUTOMATION: "1",
    TF_INPUT: "0",
    TF_REATTACH_PROVIDERS:
      '{"a/b/c":{"Protocol":"grpc","ProtocolVersion":6,"Pid":1,"Test":true,"Addr":{"Network":"unix","String":"/s"}}}',
    TF_VAR_password: "var-canary",
  });
  for (const [, bytes] of readAllFiles(terraform.directory)) expect(bytes.toString()).not.toContain("canary");
  const config = readFileSync(join(terraform.directory, ".cloudwright/terraform.rc"), "utf8");
  expect(config).toContain("disable_checkpoint = true");
  expect(config).toContain("plugin_cache_dir");
});

test("M064 a secret that a program prints does not appear in any line, event, diagnostic, fault or log, even if it arrives in two chunks", async () => {
  const secret = "Tr0ub4dor & <zweiundvierzig>";
  const lines: string[] = [];
  const events: TerraformEvent[] = [];
  const terraform = openFakeTerraform("echo", {
    secretVariables: { password: new Secret(secret) },
    logDirectory: createTestDirectory(),
    onLine: (line) => {
      lines.push(line);
      // The fake program prints the second half of its output only after this file exists.
      if (line.startsWith("plain")) writeFileSync(join(terraform.records, "go"), "");
    },
    onEvent: (event) => void events.push(event),
  });
  const outcome = await terraform.plan();
  if (outcome.outcome === "done") throw new Error("it should fail");
  const log = gunzipSync(readFileSync(outcome.report.log?.path ?? "")).toString();
  const everything = JSON.stringify([lines, events, outcome, outcome.fault.message]) + log;
  expect(log).toContain("plain [secret]");
  expect(log).toContain("split [secret]");
  expect(log).toContain("on stderr [secret]");
  expect(outcome.report.log?.complete).toBe(true);
  expect(events.map(({ type }) => type)).toEqual(["version", "started", "diagnostic"]);
  for (const piece of ["Tr0u", "4dor", "zwei", "vierzig"]) expect(everything).not.toContain(piece);
});

test("M062 an error diagnostic is a failure even if the exit code is 0", async () => {
  const outcome = await openFakeTerraform("error-exit-0").plan();
  expect(outcome).toMatchObject({
    outcome: "failed",
    fault: { code: "terraform.failed", extra: { address: "terraform_data.a" } },
    report: {
      exitCode: 0,
      diagnostics: [{ severity: "error", summary: "it broke", detail: "badly", address: "terraform_data.a" }],
    },
  });
});

test("M053 a program that exits with an error but no message has failed, and a killed one is reported differently", async () => {
  expect(await openFakeTerraform("nothing").init()).toMatchObject({ outcome: "failed", fault: { code: "terraform.failed" } });
  expect(await openFakeTerraform("killed").init()).toMatchObject({ outcome: "failed", fault: { code: "terraform.killed" } });
  const missing = openFakeTerraform("ok", { binary: { product: "terraform", version: "1.11.4", path: "/no/such/program" } });
  expect(await missing.init()).toMatchObject({ outcome: "failed", fault: { code: "terraform.start_failed" } });
});

test("M060 the text output of a program that is too old for init events is understood", async () => {
  const old = (product: "terraform" | "opentofu", version: string) => {
    const { path } = openFakeTerraform("ok").binary;
    return openFakeTerraform("words", { binary: { product, version, path } });
  };
  for (const [product, version, hasEvents] of [
    ["terraform", "1.8.5", false],
    ["terraform", "1.9.0", true],
    ["opentofu", "1.6.2", false],
    ["opentofu", "1.7.0", true],
  ] as const) {
    const terraform = old(product, version);
    const outcome = await terraform.init();
    expect(terraform.calls()[0]?.args.includes("-json")).toBe(hasEvents);
    expect(outcome).toMatchObject({ fault: { code: "terraform.bad_configuration", extra: { file: "main.tf", line: 3 } } });
  }
  expect(await openFakeTerraform("harmless-words").plan()).toMatchObject({ outcome: "done" });
});

test("M060 lines that are not events are tolerated, counted and kept", async () => {
  const outcome = await openFakeTerraform("rubbish").plan();
  expect(outcome).toMatchObject({
    outcome: "done",
    report: {
      summary: { add: 1 },
      strayLines: { count: 5, last: ["panic: not an event", '{"half": ', "[1,2,3]", '{"no":"type"}', expect.any(String)] },
    },
  });
});

test("M060 malformed output and unknown event versions cause faults", async () => {
  const rubbish = openFakeTerraform("rubbish");
  for (const outcome of [
    await rubbish.output(),
    await rubbish.pullState(),
    await rubbish.showState(),
    await rubbish.validate(),
  ]) {
    expect(outcome).toMatchObject({ outcome: "failed", fault: { code: "terraform.unexpected_output" } });
  }
  expect(await openFakeTerraform("unknown-ui").plan()).toMatchObject({ fault: { code: "terraform.unexpected_output" } });
  const small = openFakeTerraform("flood", { longestAnswerBytes: 1000, environment: { FAKE_LINES: "1000" } });
  expect(await small.pullState()).toMatchObject({ outcome: "failed", fault: { code: "terraform.too_much_output" } });
});

test("X031 a state that could not be saved is reported and pushed on request, and its directory is kept until then", async () => {
  const terraform = openFakeTerraform("errored");
  const outcome = await terraform.init();
  const path = join(terraform.directory, "errored.tfstate");
  expect(outcome).toMatchObject({
    fault: { code: "terraform.state_not_saved" },
    erroredState: { path, serial: 7, lineage: "abc" },
  });
  expect(await terraform.close()).toMatchObject({ path });
  expect(await terraform.pushErroredState()).toMatchObject({ outcome: "failed", erroredState: { path } });
  expect(existsSync(path)).toBe(true);
});

test("M064 names that would change how the program works or be read as options are rejected", async () => {
  const open = (options: Parameters<typeof openFakeTerraform>[1]) => () => openFakeTerraform("ok", options);
  const refused = expect.objectContaining({ code: "terraform.bad_option" });
  expect(open({ environment: { TF_CLI_ARGS: "-destroy" } })).toThrow(refused);
  expect(open({ secretEnvironment: { TF_LOG: new Secret("trace") } })).toThrow(refused);
  expect(open({ environment: { A: "b\0c" } })).toThrow(refused);
  expect(open({ variables: { "a b": 1 } })).toThrow(refused);
  expect(open({ secretVariables: { "x=y": new Secret(1) } })).toThrow(refused);
  expect(open({ providers: { pluginCache: "/a/${b}" } })).toThrow(refused);
  const terraform = openFakeTerraform("ok");
  await expect(terraform.import("-help", "x")).rejects.toMatchObject({ code: "terraform.bad_option" });
  await expect(terraform.plan({ replace: ["-x"] })).rejects.toMatchObject({ code: "terraform.bad_option" });
  await expect(terraform.apply("../../etc/passwd")).rejects.toMatchObject({ code: "terraform.plan_unknown" });
  expect(open({ configuration: { files: { "../outside.tf": "" } } })).toThrow(
    expect.objectContaining({ code: "terraform.bad_source" }),
  );
  expect(open({ configuration: { from: "/no/such/folder" } })).toThrow(expect.objectContaining({ code: "terraform.bad_source" }));
});

test("M060 a listener that throws does not stop the program, and its error is reported at the end", async () => {
  const broken = new Error("listener");
  const terraform = openFakeTerraform("flood", {
    environment: { FAKE_LINES: "5000" },
    onLine: () => {
      throw broken;
    },
  });
  await expect(terraform.plan()).rejects.toBe(broken);
  expect(terraform.calls()).toHaveLength(1);
});

test("M067 a reused directory contains nothing from its earlier configuration and variables", () => {
  const files = { "main.tf": "a", "modules/x/old.tf": "b" };
  const { directory } = openFakeTerraform("ok", { configuration: { files }, variables: { a: 1 } });
  writeFileSync(join(directory, "terraform.tfstate"), "state");
  openFakeTerraform("ok", { directory, configuration: { files: { "main.tf": "c", "modules/x/new.tf": "d" } } });
  const own = new Map([...readAllFiles(directory)].map(([path, bytes]) => [path.slice(directory.length + 1), bytes.toString()]));
  expect([...own.keys()].filter((path) => !path.startsWith(".cloudwright")).toSorted()).toEqual([
    "main.tf",
    "modules/x/new.tf",
    "terraform.tfstate",
  ]);
  expect(own.get("main.tf")).toBe("c");
});

test("M065 a working directory is bound to its state", () => {
  const backendAt = (address: string) => createHttpBackend({ address, username: "u", password: new Secret("secret") });
  const { directory } = openFakeTerraform("ok", { backend: backendAt("http://127.0.0.1:1/a") });
  openFakeTerraform("ok", { directory, backend: backendAt("http://127.0.0.1:1/a") });
  const open = () => openFakeTerraform("ok", { directory, backend: backendAt("http://127.0.0.1:1/b") });
  expect(open).toThrow(expect.objectContaining({ code: "terraform.other_backend" }));
  const file = readFileSync(join(directory, "cloudwright_backend_override.tf.json"), "utf8");
  expect(JSON.parse(file)).toEqual({ terraform: { backend: { http: {} } } });
});

test("M060 commands in one directory run one after the other, and no command runs after it is closed", async () => {
  const terraform = openFakeTerraform("ok");
  const outcomes = await Promise.all([terraform.init({ always: true }), terraform.plan(), terraform.close()]);
  expect(outcomes[1]).toMatchObject({ outcome: "done" });
  expect(existsSync(terraform.directory)).toBe(false);
  await expect(terraform.init()).rejects.toMatchObject({ code: "terraform.closed" });
});

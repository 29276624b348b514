import { Secret } from "@cloudwright/platform";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import type { TerraformEvent } from "../events/event.ts";
import { readAllFiles } from "../testing/read-all-files.ts";
import { createTestDirectory, findTestEngines, openTestTerraform, testSpawn } from "../testing/test-terraform.ts";
import { getValue, type CommandOutcome } from "./command-report.ts";
import { openTerraform } from "./open-terraform.ts";
import type { RunningChild } from "./spawn.ts";

const slow = (seconds: number) => `
  resource "terraform_data" "first" {}
  resource "terraform_data" "slow" {
    depends_on = [terraform_data.first]
    provisioner "local-exec" { command = "sleep ${seconds}" }
  }
`;

describe.each(findTestEngines())("with $name", ({ binary, skip }) => {
  describe.skipIf(skip)("on this machine", () => {
    test("M053 M061 broken HCL causes a fault that names file and line, and init stops", async () => {
      const terraform = openTestTerraform(binary, 'output "a" {\n  value = 1\n');
      const outcome = await terraform.init();
      expect(outcome).toMatchObject({
        outcome: "failed",
        fault: { code: "terraform.bad_configuration", extra: { file: "main.tf", line: 1 } },
      });
      expect(await terraform.plan()).toMatchObject({ outcome: "failed", fault: { code: "terraform.bad_configuration" } });
      const typo = openTestTerraform(binary, 'output "a" {\n  value = terraform_data.none.id\n}');
      getValue(await typo.init());
      const validated = await typo.validate();
      expect(validated).toMatchObject({ fault: { code: "terraform.bad_configuration", extra: { file: "main.tf", line: 2 } } });
      expect(validated.report.diagnostics[0]).toMatchObject({
        severity: "error",
        file: "main.tf",
        line: 2,
        code: "value = terraform_data.none.id",
      });
    });

    test("M053 M084 a variable that is missing or has the wrong type is named", async () => {
      const main = 'variable "size" { type = number }\nresource "terraform_data" "a" { input = var.size }';
      const missing = openTestTerraform(binary, main);
      getValue(await missing.init());
      const none = await missing.plan();
      expect(none).toMatchObject({ outcome: "failed", fault: { code: "terraform.bad_variables" } });
      expect(none.report.diagnostics[0]?.detail).toContain('"size"');
      const wrong = openTestTerraform(binary, main, { variables: { size: { not: "a number" } } });
      getValue(await wrong.init());
      expect(await wrong.plan()).toMatchObject({ outcome: "failed", fault: { code: "terraform.bad_variables" } });
    });

    test("M053 M084 a failed condition causes a specific fault, which is not retried", async () => {
      const main =
        'variable "size" {\n  default = 1\n}\nresource "terraform_data" "a" {\n  lifecycle {\n    precondition {\n      condition     = var.size > 2\n      error_message = "That is too small."\n    }\n  }\n}';
      const opened = openTestTerraform(binary, main);
      getValue(await opened.init());
      const planned = await opened.plan();
      expect(planned).toMatchObject({ outcome: "failed", fault: { code: "terraform.condition_failed", retry: "never" } });
    });

    test("M061 a directory without init and a provider that cannot be found cause specific faults", async () => {
      const directory = createTestDirectory();
      const main =
        'terraform {\n  required_providers {\n    x = { source = "example.invalid/a/b" }\n  }\n}\nresource "x_y" "z" {}';
      const terraform = openTestTerraform(binary, main, { providers: { filesystemMirror: directory } });
      expect(await terraform.plan()).toMatchObject({ outcome: "failed", fault: { code: "terraform.not_initialised" } });
      expect(await terraform.init()).toMatchObject({ outcome: "failed", fault: { code: "terraform.provider_not_installed" } });
    });

    test("M053 a failed resource is named, and the resources created before it are in the state", async () => {
      const events: TerraformEvent[] = [];
      const main = `
      resource "terraform_data" "good" {}
      resource "terraform_data" "bad" {
        depends_on = [terraform_data.good]
        provisioner "local-exec" { command = "exit 3" }
      }`;
      const terraform = openTestTerraform(binary, main, { onEvent: (event) => void events.push(event) });
      getValue(await terraform.init());
      const outcome = await terraform.apply(getValue(await terraform.plan()).id);
      expect(outcome).toMatchObject({
        outcome: "failed",
        fault: { code: "terraform.failed", extra: { address: "terraform_data.bad" } },
      });
      expect(events).toContainEqual(expect.objectContaining({ type: "failed", address: "terraform_data.bad", action: "create" }));
      const { state } = getValue(await terraform.pullState());
      expect(state?.resources.map(({ address, isTainted }) => [address, isTainted])).toEqual([
        ["terraform_data.bad", true],
        ["terraform_data.good", false],
      ]);
    });

    test("X031 an apply that is stopped exits with its state written and no lock left", async () => {
      const stop = new AbortController();
      const onEvent = (event: TerraformEvent) => {
        if (event.type === "started" && event.address === "terraform_data.slow") stop.abort(new Error("enough"));
      };
      const terraform = openTestTerraform(binary, slow(60), { signal: stop.signal, graceMs: 60_000, onEvent });
      getValue(await terraform.init());
      const outcome = await terraform.apply(getValue(await terraform.plan()).id);
      expect(outcome).toMatchObject({ outcome: "cancelled", fault: { code: "terraform.cancelled" }, report: { signal: null } });
      const again = openTestTerraform(binary, slow(0), { directory: terraform.directory });
      expect(getValue(await again.listState())).toContain("terraform_data.first");
      getValue(await again.apply(getValue(await again.plan()).id));
      expect(getValue(await again.plan())).toMatchObject({ hasChanges: false });
    });

    test.each(["plan", "apply", "destroy"] as const)(
      "X031 a %s that is killed midway leaves a state from which the next run can continue",
      async (phase) => {
        let child: RunningChild | undefined;
        let current = "";
        // Terraform waits for a writer of the pipe, so the plan cannot end before it is killed.
        const pipe = join(createTestDirectory(), "pipe");
        if (phase === "plan") spawnSync("mkfifo", [pipe]);
        else writeFileSync(pipe, "");
        const hold = (seconds: number) => `
      resource "terraform_data" "first" { input = file("${pipe}") }
      resource "terraform_data" "slow" {
        depends_on = [terraform_data.first]
        provisioner "local-exec" { command = "sleep ${phase === "apply" ? seconds : 0}" }
        provisioner "local-exec" {
          when    = destroy
          command = "sleep ${phase === "destroy" ? seconds : 0}"
        }
      }`;
        const onEvent = (event: TerraformEvent) => {
          const isDue = event.type === "started" && event.address === "terraform_data.slow";
          if (isDue && current === phase) process.kill(-(child as RunningChild).pid, "SIGKILL");
        };
        const directory = join(createTestDirectory(), "work");
        const spawn: typeof testSpawn = async (...how) => {
          child = await testSpawn(...how);
          if (phase === "plan" && current === phase) process.kill(-child.pid, "SIGKILL");
          return child;
        };
        const terraform = openTerraform(
          { spawn },
          { binary, directory, configuration: { files: { "main.tf": hold(60) } }, onEvent },
        );
        const run = async (name: string, work: () => Promise<CommandOutcome<unknown>>): Promise<void> => {
          current = name;
          const outcome = await work();
          const expected =
            name === phase
              ? { outcome: "failed", fault: { code: "terraform.killed" }, report: { signal: "SIGKILL" } }
              : { outcome: "done" };
          expect(outcome).toMatchObject(expected);
        };
        getValue(await terraform.init());
        await run("plan", () => terraform.plan());
        rmSync(pipe);
        writeFileSync(pipe, "");
        current = "";
        const plan = getValue(await terraform.plan());
        await run("apply", () => terraform.apply(plan.id));
        current = "";
        const destroy = getValue(await terraform.plan({ mode: "destroy" }));
        await run("destroy", () => terraform.apply(destroy.id));

        const again = openTestTerraform(binary, hold(0), { directory });
        getValue(await again.init());
        getValue(await again.apply(getValue(await again.plan()).id));
        expect(getValue(await again.listState())).toEqual(["terraform_data.first", "terraform_data.slow"]);
        expect(getValue(await again.plan())).toMatchObject({ hasChanges: false });
      },
    );

    test("M072 a state of 20 MB is pushed, pulled and read", async () => {
      const terraform = openTestTerraform(binary, 'resource "terraform_data" "a" {}');
      getValue(await terraform.init());
      const attributes = {
        id: "one",
        input: null,
        output: null,
        triggers_replace: { value: "x".repeat(20_000_000), type: "string" },
      };
      const provider = 'provider["terraform.io/builtin/terraform"]';
      const resources = [
        { mode: "managed", type: "terraform_data", name: "a", provider, instances: [{ schema_version: 0, attributes }] },
      ];
      const state = { version: 4, terraform_version: "1.9.0", serial: 3, lineage: "big", outputs: {}, resources };
      getValue(await terraform.pushState(Buffer.from(JSON.stringify(state))));
      const pulled = getValue(await terraform.pullState());
      expect(pulled.bytes.length).toBeGreaterThan(20_000_000);
      expect(pulled.state).toMatchObject({ lineage: "big", resources: [{ address: "terraform_data.a", id: "one" }] });
      expect(getValue(await terraform.showState()).resources).toHaveLength(1);
    });

    test("X030 a state that another run has locked causes a specific fault", async () => {
      const terraform = openTestTerraform(binary, slow(60), { lockTimeoutSeconds: 0 });
      getValue(await terraform.init());
      const plan = getValue(await terraform.plan());
      const stop = new AbortController();
      const started = Promise.withResolvers<void>();
      const onEvent = (event: TerraformEvent) => event.type === "started" && event.address.endsWith("slow") && started.resolve();
      const holder = openTestTerraform(binary, slow(60), { directory: terraform.directory, signal: stop.signal, onEvent });
      const holding = holder.apply(plan.id);
      await started.promise;
      expect(await terraform.plan()).toMatchObject({
        outcome: "failed",
        fault: { code: "terraform.state_locked", retry: "backoff" },
      });
      stop.abort(new Error("enough"));
      await holding;
    });

    test("M064 secrets in variables and outputs do not appear in any argument, line, event or log, and no file contains them after closing", async () => {
      const said: string[] = [];
      const args: string[] = [];
      const logDirectory = createTestDirectory();
      const main = `
      variable "token" {
        type      = string
        sensitive = true
      }
      resource "terraform_data" "a" {
        input = var.token
        provisioner "local-exec" {
          command = "printenv TF_VAR_token; echo \${nonsensitive(var.token)}"
        }
      }
      output "token" {
        value     = var.token
        sensitive = true
      }`;
      const directory = join(createTestDirectory(), "work");
      const terraform = openTerraform(
        { spawn: (...how) => (args.push(how[0], ...how[1]), testSpawn(...how)) },
        {
          binary,
          directory,
          configuration: { files: { "main.tf": main } },
          secretVariables: { token: new Secret("canary-4711-canary") },
          logDirectory,
          onLine: (line) => said.push(line),
          onEvent: (event) => said.push(JSON.stringify(event)),
        },
      );
      getValue(await terraform.init());
      const plan = getValue(await terraform.plan());
      said.push(JSON.stringify(getValue(await terraform.showPlan(plan.id))));
      const applied = await terraform.apply(plan.id);
      getValue(applied);
      said.push(JSON.stringify([applied, await terraform.output(), await terraform.showState()]));
      expect(said.join("\n")).toContain("[secret]");
      const logs = [...readAllFiles(logDirectory).values()].map((bytes) => gunzipSync(bytes).toString());
      expect(logs).toHaveLength(3);
      for (const each of [...said, ...args, ...logs]) expect(each).not.toContain("4711");
      await terraform.close();
      expect(existsSync(directory)).toBe(false);
    });

    test("M060 runs in separate directories do not disturb each other, even with a shared plug-in cache", async () => {
      const pluginCache = join(createTestDirectory(), "plug-ins");
      const runs = [1, 2, 3, 4].map(async (size) => {
        const main = `resource "terraform_data" "a" { input = ${size} }\noutput "size" { value = terraform_data.a.output }`;
        const terraform = openTestTerraform(binary, main, { providers: { pluginCache } });
        getValue(await terraform.init());
        getValue(await terraform.apply(getValue(await terraform.plan()).id));
        return getValue(await terraform.output())["size"]?.value.reveal();
      });
      expect(await Promise.all(runs)).toEqual([1, 2, 3, 4]);
    });

    test("M053 a full disk causes a specific fault, and the end of the run is still detected", async (context) => {
      const small = createTestDirectory();
      const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", small], { encoding: "utf8" });
      if (mounted.status !== 0) return context.skip("a small file system cannot be mounted here");
      try {
        const main = `resource "terraform_data" "a" { input = join("", [for i in range(1000) : join("", [for j in range(40) : sha256(i * 100 + j)])]) }`;
        const terraform = openTestTerraform(binary, main, { directory: join(small, "work"), logDirectory: join(small, "logs") });
        getValue(await terraform.init());
        const planned = await terraform.plan();
        expect(planned).toMatchObject({ outcome: "failed", fault: { code: "terraform.disk_full", kind: "exhausted" } });
      } finally {
        await vi.waitUntil(() => spawnSync("umount", [small]).status === 0, { timeout: 60_000 });
      }
    });
  });
});

test("M077 a process with little memory handles 20 MB of output and an endless line", async () => {
  const fixture = join(import.meta.dirname, "fixtures/run-flood.ts");
  const logDirectory = createTestDirectory();
  const child = await testSpawn(process.execPath, ["--max-old-space-size=48", fixture, logDirectory], {});
  child.stderr.resume();
  const answer = await text(child.stdout);
  expect(await child.ended).toEqual({ code: 0, signal: null });
  const { report, lines, messages } = JSON.parse(answer) as {
    report: { strayLines: { count: number; last: string[] }; log: { path: string; complete: boolean } };
    lines: number;
    messages: number;
  };
  expect(messages).toBe(120_000);
  expect(report.strayLines.count).toBe(120_001);
  expect(report.strayLines.last.length).toBeLessThanOrEqual(200);
  expect(lines).toBe(240_002);
  expect(report.log.complete).toBe(true);
  expect(gunzipSync(readFileSync(report.log.path)).length).toBeGreaterThan(50_000_000);
});

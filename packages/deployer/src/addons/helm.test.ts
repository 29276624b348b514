import { Secret } from "@cloudwright/platform";
import type { Spawn } from "@cloudwright/terraform";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHelm, type Helm } from "./helm.ts";

const token = "t0ken-that-nobody-may-read";
const chart = { name: "tiny", namespace: "tiny", release: "tiny", repository: "oci://example.org/charts" };
let directory: string;
let calls: { args: readonly string[]; env: Readonly<Record<string, string>> }[];
let said: string[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "helm-"));
  [calls, said] = [[], []];
});
afterEach(() => rmSync(directory, { recursive: true }));

// Creates a helm runner whose child process prints the given output and exits with the given code.
function open(code: number, stdout: string, stderr: string, signal = new AbortController().signal): Helm {
  const spawn: Spawn = async (_command, args, options = {}) => {
    calls.push({ args, env: options.env ?? {} });
    const ended = Promise.resolve({ code, signal: null });
    return { pid: 1, stdin: new PassThrough(), stdout: Readable.from([stdout]), stderr: Readable.from([stderr]), ended };
  };
  const access = { server: "https://cluster.test", caPem: "pem", token: async () => new Secret(token) };
  return createHelm({ spawn }, { path: "helm", access, directory, signal, log: (line) => void said.push(line) });
}

test("M132 helm receives the token only through its environment, and its output is redacted", async () => {
  const helm = open(1, "", `Error: refused ${token}\n`);
  const error: unknown = await helm.install(chart, "tiny.tgz", { a: 1 }, 1000).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "deployer.helm_failed", retry: "backoff" });
  expect(String(error) + said.join("\n") + JSON.stringify(calls.map(({ args }) => args))).not.toContain(token);
  expect(calls[0]?.env).toMatchObject({ HELM_KUBETOKEN: token, HELM_KUBEAPISERVER: "https://cluster.test" });
});

test("M132 neither a missing release nor a cancellation is reported as a failure", async () => {
  expect(await open(1, "", "Error: release: not found\n").findStatus(chart)).toBeUndefined();
  expect(await open(0, '{"info":{"status":"deployed"}}', "").findStatus(chart)).toBe("deployed");
  expect(
    await open(1, "", "Error: uninstall: Release not loaded: tiny: release: not found\n").uninstall({
      name: "tiny",
      namespace: "tiny",
    }),
  ).toBe(false);
  const reason = new Error("stopped");
  await expect(open(0, "", "", AbortSignal.abort(reason)).findStatus(chart)).rejects.toBe(reason);
});

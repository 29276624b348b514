import { expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";

async function complete(...words: string[]): Promise<string[]> {
  const { run, server } = createFakeWorld();
  await run("cluster", "create", "dev", "--network", "main");
  const stack = { entityKind: "Cluster", entityName: "dev" };
  const [done, open] = ["01990000-0000-7000-8000-aaaaaaaaaaaa", "01990000-0000-7000-8000-bbbbbbbbbbbb"];
  server.setRun(`/v1/projects/default/runs/${done}`, { run: { uid: done, state: "DONE", ...stack } });
  server.setRun(`/v1/projects/default/runs/${open}`, { run: { uid: open, state: "NEEDS_APPROVAL", ...stack } });
  server.setDrift(`/v1/projects/default/drifts/${done}`, { uid: done, state: "OPEN", ...stack });
  const resources = {
    items: [{ address: "aws_vpc.this", id: "vpc-1" }],
    forgotten: [{ address: "aws_eip.nat", id: "eip-1" }],
  };
  server.setState("/v1/projects/default/states/u", { state: { ...stack, entityUid: "u" }, contents: [], resources });
  await run("network", "create", "main", "--account", "a");
  await run("nodepool", "create", "dev/spot");
  const { out, code } = await run("__complete", "--", ...words);
  expect(code).toBe(0);
  return out
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split("\t")[0] as string);
}

test.each([
  [["clu"], ["cluster"]],
  [
    ["cluster", "d"],
    ["describe", "delete", "discover"],
  ],
  [["get", "clu"], ["cluster"]],
  [["get", "cluster", ""], ["dev"]],
  [["-p", "default", "k8s", "get", "d"], ["dev"]],
  [["cluster", "create", "--work"], ["--workers"]],
  [["cluster", "create", "--network", ""], ["main"]],
  [
    ["account", "create", "--cloud", "a"],
    ["aws", "azure"],
  ],
  [
    ["get", "cluster", "-o", "j"],
    ["json", "jsonpath="],
  ],
  [["nodepool", "describe", ""], ["dev/spot"]],
  [["nodepool", "describe", "--cluster", ""], ["dev"]],
  [
    ["completion", ""],
    ["bash", "zsh", "fish"],
  ],
  [["delete", "task", ""], []],
  [["operation", "ca"], ["cancel"]],
  [
    ["agent", "d"],
    ["describe", "delete", "drain"],
  ],
  [
    ["logs", ""],
    ["instance", "operation", "task"],
  ],
  [["agent", "join-token", ""], []],
  [
    ["cluster", "create", "--deletion-policy", ""],
    ["delete", "retain"],
  ],
  [["pause", "ta"], []],
  [["run", "d"], ["discard"]],
  [
    ["run", "get", ""],
    ["bbbbbbbbbbbb", "aaaaaaaaaaaa"],
  ],
  [["run", "approve", ""], ["bbbbbbbbbbbb"]],
  [["run", "list", ""], []],
  [
    ["run", "list", "--state", "D"],
    ["DONE", "DISCARDED"],
  ],
  [["drift", "correct", ""], ["aaaaaaaaaaaa"]],
  [
    ["drift", "check", ""],
    ["network/main", "cluster/dev"],
  ],
  [["state", "diff", ""], ["cluster/dev"]],
  [["state", "diff", "cluster/dev", ""], []],
  [["state", "forget", ""], ["cluster/dev"]],
  [["state", "forget", "cluster/dev", ""], ["aws_vpc.this"]],
  [["state", "forget", "cluster/none", ""], []],
  [["state", "adopt", "cluster/dev", ""], ["aws_eip.nat"]],
  [["state", "adopt", "cluster/dev", "aws_eip.nat", ""], ["eip-1"]],
  [
    ["cluster", "update", "dev", "--allow", "r"],
    ["replace", "removed-apis", "replace,delete"],
  ],
])("M003 %j is completed", async (words, candidates) => {
  expect(await complete(...words)).toEqual(candidates);
});

test("M003 completion prints nothing if the server does not respond", async () => {
  const { run } = createFakeWorld({ environment: { CLOUDWRIGHT_API_KEY: "wrong" } });
  expect(await run("__complete", "--", "get", "cluster", "")).toEqual({ code: 0, out: "", err: "" });
});

test.each(["bash", "zsh", "fish"])("M003 there is a completion script for %s", async (shell) => {
  const { out, code } = await createFakeWorld().run("completion", shell);
  expect(code).toBe(0);
  expect(out).toContain("cloud __complete --");
});

test("M003 other shells are rejected", async () => {
  expect((await createFakeWorld().run("completion", "tcsh")).code).toBe(2);
});

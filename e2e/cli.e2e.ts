import { kinds, type Kind } from "@cloudwright/contract/kinds";
import { entityExamples, localExamples } from "@cloudwright/contract/openapi";
import { requireTool } from "@cloudwright/platform";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse, stringify } from "yaml";
import { runCloud, startCloud, type CommandOptions, type CommandOutcome } from "./cloud-command.ts";
import { createHome, removeHome } from "./home-directory.ts";
import { startServer, type RunningServer } from "./server.ts";

let server: RunningServer;

beforeAll(async () => {
  // Without an agent nothing changes in the background, so repeated commands print the same output.
  server = await startServer({ environment: { CLOUDWRIGHT_ROLES: "api,tasks,reconciler" } });
});
afterAll(async () => void (await server?.stop()));

async function createFolder(): Promise<string> {
  const folder = await createHome();
  onTestFinished(() => removeHome(folder));
  return folder;
}

const cloud = (...args: string[]): Promise<CommandOutcome> => runCloud({ home: server.home }, ...args);
const cloudWith = (options: Partial<CommandOptions>, ...args: string[]) => runCloud({ home: server.home, ...options }, ...args);

async function must(...args: string[]): Promise<string> {
  const { code, out, err } = await cloud(...args);
  if (code !== 0) throw new Error(`cloud ${args.join(" ")} exited with ${code}: ${err}`);
  return out;
}

/** One small entity of every kind that can be applied. */
const documents = [...Object.entries(entityExamples), ...localExamples]
  .filter(([kind]) => kind !== "ApiKey")
  .map(([kind, entity]) => stringify({ kind, ...(kind === "NodePool" ? { cluster: "dev-cluster" } : {}), ...entity }))
  .join("---\n");

const creatable: readonly Kind[] = kinds.filter(({ kind }) => entityExamples[kind] !== undefined);
const named = ({ kind }: Kind): string => {
  const name = (entityExamples[kind] as { metadata: { name: string } }).metadata.name;
  return kind === "NodePool" ? `dev-cluster/${name}` : name;
};

describe("entities", () => {
  test("M003 apply creates entities of every kind, and a second apply changes nothing", async () => {
    const first = await cloudWith({ stdin: documents }, "apply", "-f", "-");
    expect(first.err).toBe("accepted; follow progress with: cloud watch operations\n");
    expect(first.out.trim().split("\n")).toHaveLength(creatable.length - 1 + localExamples.length);
    expect(first.out.replaceAll(/ created$/gm, "")).not.toContain(" ");
    const dry = await cloudWith({ stdin: documents }, "apply", "-f", "-", "--dry-run");
    expect(dry.out).toBe(first.out.replaceAll(/ created$/gm, " would be unchanged (dry run)"));
    const second = await cloudWith({ stdin: documents }, "apply", "-f", "-");
    expect(second).toMatchObject({ code: 0, out: first.out.replaceAll(/ created$/gm, " unchanged"), err: "" });
    expect(
      await must("apikey", "create", named(creatable.find(({ kind }) => kind === "ApiKey") as Kind), "--user", "ada"),
    ).toMatch(/^cw_\S+\n$/);
  });

  test.each(kinds.map((kind: Kind) => [kind.collection, kind] as const))(
    "M003 %s are listed by both forms of the command",
    async (_name, kind) => {
      const word = kind.words[0] as string;
      const [json, names] = await Promise.all([must("get", kind.collection, "-o", "json"), must(word, "list", "-o", "name")]);
      const { items } = JSON.parse(json) as { items: unknown[] };
      const listed = names.trim().split("\n").filter(Boolean);
      // The number of tasks can change between the two commands.
      if (kind.kind === "Task") return;
      expect(items.length > 0).toBe(entityExamples[kind.kind] !== undefined || kind.kind === "Operation");
      expect(listed).toHaveLength(items.length);
    },
  );

  test("M003 every output format shows the same entities", async () => {
    const get = (...flags: string[]): Promise<string> => must("get", "clusters", ...flags);
    const { items } = JSON.parse(await get("-o", "json")) as { items: { metadata: { name: string; uid: string } }[] };
    const [cluster] = items;
    expect(parse(await get("-o", "yaml"))).toMatchObject({ apiVersion: "cloudwright.v1", kind: "ClusterList", items });
    expect(await get("-o", "jsonpath={.items[*].metadata.name}")).toBe("dev-cluster\n");
    expect(await get("-o", "name")).toBe("cluster/dev-cluster\n");
    expect(await get()).toMatch(/^NAME .*\ndev-cluster +PENDING +1\.34 +main \(simulated\) +2 /);
    expect(await get("-o", "wide")).toContain(cluster?.metadata.uid);
  });

  test.each(creatable.map((kind) => [kind.words[0] as string, kind] as const))(
    "M003 one %s is shown, changed, edited, followed, paused and resumed",
    async (word, kind) => {
      const name = named(kind);
      const shown = JSON.parse(await must(word, "get", name, "-o", "json")) as { kind: string; metadata: { uid: string } };
      expect(shown.kind).toBe(kind.kind);
      const byUid = kind.kind === "NodePool" ? `dev-cluster/${shown.metadata.uid}` : shown.metadata.uid;
      expect(await must("describe", `${word}/${byUid}`)).toContain(shown.metadata.uid);
      if (kind.kind === "ApiKey") return;
      expect(await must(word, "update", name, "--label", "tier=prod")).toBe(`${word}/${name} changed\n`);
      const editor = { environment: { EDITOR: "sed -i s/prod/dev/" } };
      expect(await cloudWith(editor, "edit", word, name)).toMatchObject({ code: 0, out: `${word}/${name} changed\n` });
      expect(await must(word, "get", name, "-o", "jsonpath={.metadata.labels.tier}")).toBe("dev\n");
      expect(kind.scope === "global" || (await must(word, "events", name)).includes("Created")).toBe(true);
      if (!kind.provisioned) return;
      expect(await must("pause", word, name, "-o", "jsonpath={.metadata.paused}")).toBe("true\n");
      expect(await must(word, "resume", name, "-o", "jsonpath={.metadata.paused}")).toBe("false\n");
    },
  );

  test("M003 exported entities can be applied to another project", async () => {
    await must("project", "create", "copy");
    const exported = (await must("get", "accounts", "-o", "yaml")).replaceAll(/^ +project: .*\n/gm, "");
    expect(await cloudWith({ stdin: exported }, "-p", "copy", "apply", "-f", "-")).toMatchObject({
      code: 0,
      out: "account/rack created\naccount/sandbox created\n",
    });
    for (const name of ["rack", "sandbox"])
      expect(await must("-p", "copy", "delete", "account", name, "--wait", "--yes")).toBe(`account/${name} deleted\n`);
    expect(await must("delete", "project", "copy", "--cascade", "--yes")).toBe("project/copy deleted\n");
  });

  test("M024 a parent cannot be deleted before its children, except with --cascade", async () => {
    expect(await cloud("delete", "account", "sandbox", "--yes")).toMatchObject({
      code: 4,
      err: expect.stringContaining("api.has_children") as string,
    });
    expect(await must("delete", "account", "sandbox", "--cascade", "--wait", "--yes")).toBe("account/sandbox deleted\n");
    await must("delete", "account", "rack", "--cascade", "--wait", "--yes");
    expect((await cloud("get", "cluster", "dev-cluster")).code).toBe(3);
    for (const word of [
      "apikey/ada-laptop",
      "rolebinding/ada-edits",
      "user/ada",
      "environment/staging",
      "agent/office",
      "project/shop",
    ])
      await must("delete", word, "--yes");
  });
});

const bash = requireTool("bash");

describe("with a cluster", () => {
  beforeAll(async () => {
    await must("account", "create", "demo", "--cloud", "aws", "--simulated");
    await must("network", "create", "demo-vpc", "--account", "demo", "--region", "eu-west-1");
    await must("cluster", "create", "demo-cluster", "--network", "demo-vpc");
  });

  describe("clusters", () => {
    test("M004 the flags of the first design create a cluster, and its commands find it", async () => {
      const line = "k8s create --name dev-cluster --vpc demo-vpc --workers 2 --version v1.29.0";
      expect(await must(...line.split(" "))).toBe("cluster/dev-cluster created\n");
      expect(await must("k8s", "list")).toMatch(/dev-cluster +PENDING +v?1\.29\.0 +demo-vpc \(simulated\) +2/);
      expect(await must("get", "accounts")).toContain("aws (simulated)");
      const uid = (await must("get", "vpc", "demo-vpc", "-o", "jsonpath={.metadata.uid}")).trim();
      expect(await must("k8s", "create", "--name", "by-id", "--vpc", uid, "--workers", "1")).toBe("cluster/by-id created\n");
    });

    test("M222 create, upgrade and apply warn about a Kubernetes version without support, and not about a maintained one", async () => {
      const isWarned = async (version: string, ...args: string[]): Promise<boolean> => {
        const spec = { network: "demo-vpc", version };
        const stdin = stringify({ kind: "Cluster", metadata: { name: "aged" }, spec });
        const { code, err } = await cloudWith({ stdin }, ...args, "--dry-run");
        expect([args, code]).toEqual([args, 0]);
        return err.includes("(supported-kubernetes)") && err.includes(version);
      };
      const lines = (version: string): string[][] => [
        ["k8s", "create", "--name", "aged", "--vpc", "demo-vpc", "--version", version],
        ["k8s", "upgrade", "dev-cluster", "--version", version],
        ["apply", "-f", "-"],
      ];
      for (const line of lines("1.30")) expect([line, await isWarned("1.30", ...line)]).toEqual([line, true]);
      for (const line of lines("1.35")) expect([line, await isWarned("1.35", ...line)]).toEqual([line, false]);
    });

    test("M017 a cluster without access has no kubeconfig, and standard output stays empty", async () => {
      expect(await cloud("k8s", "kubeconfig", "demo-cluster")).toMatchObject({
        code: 4,
        out: "",
        err: expect.stringContaining("api.cluster_not_ready") as string,
      });
    });

    test("X002 --watch shows a change as it happens and exits with 130", async () => {
      const watching = startCloud({ home: server.home }, "get", "clusters", "--watch");
      await expect.poll(watching.out, { timeout: 60_000 }).toMatch(/ADDED +demo-cluster/);
      await must("cluster", "update", "demo-cluster", "--workers", "5");
      await expect.poll(watching.out, { timeout: 60_000 }).toMatch(/MODIFIED +demo-cluster .* 5 /);
      watching.signal("SIGINT");
      expect(await watching.done).toMatchObject({ code: 130, err: "" });
    });

    test("M003 events are followed live", async () => {
      const following = startCloud({ home: server.home }, "events", "cluster/demo-cluster", "-w");
      await expect.poll(following.out, { timeout: 60_000 }).toContain("Created");
      await must("pause", "cluster", "demo-cluster");
      await expect.poll(following.out, { timeout: 60_000 }).toContain("Paused");
      following.signal("SIGINT");
      expect((await following.done).code).toBe(130);
    });
  });

  describe("exit codes", () => {
    test.each([
      [0, "get clusters"],
      [2, "get clusters --nonsense"],
      [2, "network create bad --account demo --cidr 10.0.0.1/33"],
      [3, "get cluster none"],
      [4, "account create demo --cloud aws"],
      [9, "cluster create slow --network demo-vpc --wait --timeout 100ms"],
    ])("M003 %i: cloud %s", async (code, line) => {
      expect((await cloud(...line.split(" "))).code).toBe(code);
    });

    test("M003 the exit code is 5 without a valid key and 6 without a server", async () => {
      expect((await cloudWith({ environment: { CLOUDWRIGHT_API_KEY: "cw_wrong" } }, "get", "clusters")).code).toBe(5);
      expect((await cloudWith({ environment: { CLOUDWRIGHT_SERVER: "http://127.0.0.1:9" } }, "get", "clusters")).code).toBe(6);
    });
  });

  describe("identity", () => {
    test("M006 a key is created, used to log in from another home, rotated and revoked", async () => {
      await must("user", "create", "vera");
      await must("rolebinding", "create", "vera-views", "--user", "vera", "--role", "viewer");
      const key = await must("apikey", "create", "vera-key", "--user", "vera", "--expires-at", "1d");
      const home = await createFolder();
      const login = await runCloud({ home, stdin: key }, "login", "--server", server.address, "--key-stdin", "--name", "vera");
      expect(login).toMatchObject({ code: 0, err: "" });
      expect((await runCloud({ home }, "whoami", "-o", "name")).out).toBe("vera\n");
      expect((await runCloud({ home }, "get", "clusters")).code).toBe(0);
      expect(await runCloud({ home }, "can-i", "create", "cluster")).toMatchObject({ code: 1, out: "no\n" });
      expect((await runCloud({ home }, "delete", "cluster", "demo-cluster", "--yes")).code).toBe(5);
      const rotated = await must("apikey", "rotate", "vera-key");
      expect(rotated).not.toBe(key);
      expect((await runCloud({ home }, "whoami")).code).toBe(5);
      expect((await runCloud({ home, environment: { CLOUDWRIGHT_API_KEY: rotated.trim() } }, "whoami")).code).toBe(0);
      await must("delete", "apikey", "vera-key", "--yes");
      expect((await runCloud({ home, environment: { CLOUDWRIGHT_API_KEY: rotated.trim() } }, "whoami")).code).toBe(5);
    });

    test("M014 the audit log shows who made a call, including denied calls", async () => {
      expect(await must("audit", "--filter", "outcome=denied,actor=vera")).toMatch(/denied +vera +delete +cluster\/demo-cluster/);
    });

    test("M020 secrets are read from files, and neither arguments nor responses contain them", async () => {
      const file = join(await createFolder(), "key");
      await writeFile(file, "hunter2-hunter2\n");
      await must(
        "account",
        "create",
        "keyed",
        "--aws-access-key-id",
        "AKIAIOSFODNN7EXAMPLE",
        "--aws-secret-access-key-file",
        file,
      );
      const shown = (await must("get", "account", "keyed", "-o", "yaml")) + (await must("describe", "account", "keyed"));
      expect(shown).toContain("spec.aws.secretAccessKey");
      expect(shown).not.toContain("hunter2");
    });

    test("M003 a token issued by the CLI works for the API", async () => {
      const token = (await must("token", "create", "--audience", "cloudwright", "--ttl", "60s")).trim();
      expect((await cloudWith({ environment: { CLOUDWRIGHT_API_KEY: token } }, "whoami")).out).toContain("credential: token");
    });
  });

  describe.skipIf(!bash.found)(`completion${bash.found ? "" : `: skipped, ${bash.reason}`}`, () => {
    test("M003 bash completes commands, kinds, names from the server, flags and their values", async () => {
      const bin = join(dirname(fileURLToPath(import.meta.url)), "..", "apps", "cli", "bin", "cloud.js");
      const script = `
        cloud() { "$NODE" "${bin}" "$@"; }
        source <(cloud completion bash)
        try() { COMP_WORDS=(cloud "$@"); COMP_CWORD=$#; COMPREPLY=(); _cloud; echo "\${COMPREPLY[*]}"; }
        try clu; try k8s kub; try get clusters demo; try get vpc ""; try cluster create --work; try account create --cloud a`;
      const file = join(await createFolder(), "complete.sh");
      await writeFile(file, script);
      const outcome = await cloudWith({ command: [bash.found ? bash.path : ""], environment: { NODE: process.execPath } }, file);
      expect(outcome.out.split("\n").slice(0, -1)).toEqual([
        "cluster",
        "kubeconfig",
        "demo-cluster",
        "demo-vpc",
        "--workers",
        "aws azure",
      ]);
    });
  });
});

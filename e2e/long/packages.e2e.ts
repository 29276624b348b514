import { findTool, processEnvironment } from "@cloudwright/platform";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCloud } from "../cloud-command.ts";
import { startServer, type RunningServer } from "../server.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const node = join(root, "node_modules", ".bin", "node");
const run = promisify(execFile);
const compilers = [
  ["TypeScript 7", join(root, "node_modules", "typescript", "bin", "tsc")],
  ["TypeScript 5", join(root, "e2e", "node_modules", "typescript", "bin", "tsc")],
] as const;

let server: RunningServer;
const made: string[] = [];

beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server?.stop();
  for (const folder of made) await rm(folder, { recursive: true, force: true });
});

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), "cw-e2e-package-"));
  made.push(folder);
  return folder;
}

/**
 * Builds and packs a package. Then installs the tarball without access to a registry. Dependencies are linked from the repository, because
 * npm could not download them.
 */
async function install(source: string, { linksDependencies = false } = {}): Promise<string> {
  await run(node, [join(root, source, "scripts", "build.ts")]);
  const folder = await createFolder();
  await writeFile(join(folder, "package.json"), '{"type":"module","private":true}');
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder, join(root, source, "dist")], {
    cwd: folder,
  });
  const tarball = /"filename": "([^"]+\.tgz)"/.exec(stdout)?.[1] as string;
  if (linksDependencies) {
    const inside = join(folder, "node_modules", "@cloudwright", "clouds");
    await mkdir(inside, { recursive: true });
    await run("tar", ["-xzf", join(folder, tarball), "-C", inside, "--strip-components=1"]);
    const { dependencies } = JSON.parse(await readFile(join(inside, "package.json"), "utf8")) as { dependencies: object };
    for (const name of Object.keys(dependencies)) {
      await mkdir(dirname(join(folder, "node_modules", name)), { recursive: true });
      await symlink(join(root, "node_modules", name), join(folder, "node_modules", name));
    }
    return folder;
  }
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", join(folder, tarball)], { cwd: folder });
  return folder;
}

describe("the typed client, installed on its own", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await install("packages/api-client");
  });

  test("M016 it has no dependencies and works in plain JavaScript", async () => {
    expect(await readdir(join(folder, "node_modules", "@cloudwright"))).toEqual(["api-client"]);
    const script = `
      import { createClient, Fault } from "@cloudwright/api-client";
      const client = createClient({ server: process.env.SERVER, apiKey: process.env.KEY });
      await client.environments.create("default", { metadata: { name: "plain" } });
      const found = await client.environments.get("default", "plain");
      const fault = await client.environments.get("default", "none").catch((error) => error);
      console.log(found.metadata.name, fault instanceof Fault, fault.kind);`;
    await writeFile(join(folder, "use.mjs"), script);
    const { stdout } = await run(findOwnNode() ?? node, [join(folder, "use.mjs")], {
      env: { SERVER: server.address, KEY: server.adminKey },
    });
    expect(stdout).toBe("plain true not_found\n");
  });

  test.each(compilers)("M016 %s finds its types and reports misuse", async (_name, compiler) => {
    const source = `
      import { createClient, type EntityByKind } from "@cloudwright/api-client";
      const client = createClient({ server: "http://server" });
      const made = await client.clusters.create("default", { metadata: { name: "a" }, spec: { network: "n", workers: 2 } });
      export const uid: string = made.metadata.uid;
      export const cluster: EntityByKind["Cluster"] = made;
      for await (const event of client.nodePools.watch("default", "dev")) if (event.type !== "SYNCED") console.log(event.object.spec?.max);
      // @ts-expect-error the field does not exist
      await client.clusters.create("default", { metadata: { name: "a" }, spec: { wrokers: 2 } });
      // @ts-expect-error a node pool also needs the name of its cluster
      await client.nodePools.get("default", "x");
      // @ts-expect-error users cannot delete tasks
      await client.tasks.delete("default", "x");`;
    await writeFile(join(folder, "use.ts"), source);
    const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2023,dom"];
    await expect(run(node, [compiler, ...flags, join(folder, "use.ts")], { cwd: folder })).resolves.toMatchObject({ stdout: "" });
  });
});

describe("the clouds library, installed on its own", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await install("packages/clouds", { linksDependencies: true });
  });

  test("M167 it works in plain JavaScript and loads no SDK before the first call", async () => {
    const script = `
      import { createRequire } from "node:module";
      import { createAws, isCloudFault } from "@cloudwright/clouds";
      import { createAws as same } from "@cloudwright/clouds/aws";
      const aws = createAws({ region: "us-east-1", accessKeyId: "a", secretAccessKey: "s", maxAttempts: 1, endpoints: { all: process.env.ENDPOINT } });
      const loaded = () => Object.keys(createRequire(import.meta.url).cache).filter((path) => path.includes("@aws-sdk")).length;
      const before = loaded();
      const fault = await aws.clusters.list().catch((error) => error);
      console.log(same === createAws, before, loaded() > 0, isCloudFault(fault, "unavailable"));`;
    await writeFile(join(folder, "use.mjs"), script);
    const { stdout } = await run(findOwnNode() ?? node, [join(folder, "use.mjs")], {
      env: { ENDPOINT: "http://127.0.0.1:1", HOME: folder },
    });
    expect(stdout).toBe("true 0 true true\n");
  });

  test.each(compilers)("M167 %s finds its types and reports misuse", async (_name, compiler) => {
    const source = `
      import { createAws, isCloudFault, type ClusterInfo, type CloudLibrary } from "@cloudwright/clouds";
      const aws: CloudLibrary = createAws({ region: "us-east-1" });
      export const made: ClusterInfo = await aws.clusters.create({ name: "a", nodeCount: 1, subnets: ["b", "c"] }, { wait: "ready" });
      const error: unknown = undefined;
      export const id: string = isCloudFault(error, "quota") ? error.extra.requestId : "";
      // @ts-expect-error the region is required
      createAws({});
      // @ts-expect-error the field does not exist
      await aws.clusters.create({ name: "a", nodes: 1 });
      // @ts-expect-error there is no such category
      isCloudFault(error, "broken");`;
    await writeFile(join(folder, "use.ts"), source);
    const flags = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022", "--lib", "es2023,dom"];
    await expect(run(node, [compiler, ...flags, join(folder, "use.ts")], { cwd: folder })).resolves.toMatchObject({ stdout: "" });
  });

  test("M167 a program that uses one cloud contains no code of another one", async () => {
    const { build } = await import("esbuild");
    await writeFile(join(folder, "one.mjs"), 'import { createAws } from "@cloudwright/clouds"; console.log(createAws);');
    const { outputFiles } = await build({
      entryPoints: [join(folder, "one.mjs")],
      bundle: true,
      format: "esm",
      platform: "node",
      write: false,
      external: ["@aws-sdk/*", "@smithy/*"],
    });
    expect(outputFiles[0]?.text).toContain("eks.amazonaws.com");
    expect(outputFiles[0]?.text).not.toMatch(/google-auth-library|management\.azure\.com/);
  });
});

describe("the command, installed on its own", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await install("apps/cli");
  });

  test("M018 it has no dependencies and works", async () => {
    expect(await readdir(join(folder, "node_modules", "@cloudwright"))).toEqual(["cli"]);
    const installed = { home: server.home, command: [findOwnNode() ?? node, join(folder, "node_modules", ".bin", "cloud")] };
    const { version } = JSON.parse(await readFile(join(root, "apps", "cli", "package.json"), "utf8")) as { version: string };
    expect(await runCloud(installed, "--version")).toEqual({ code: 0, out: `${version}\n`, err: "" });
    expect(await runCloud(installed, "account", "create", "packed", "--cloud", "aws", "--simulated")).toMatchObject({
      code: 0,
      out: "account/packed created\n",
      err: expect.stringMatching(/^accepted; .*\n$/) as string,
    });
    expect((await runCloud(installed, "get", "accounts", "-o", "yaml")).out).toContain("name: packed");
    const file = { ...installed, stdin: "kind: Environment\nmetadata: {name: packed}\n" };
    expect(await runCloud(file, "apply", "-f", "-")).toMatchObject({ code: 0, out: "environment/packed created\n" });
    expect((await runCloud(installed, "cluster", "create", "--help")).out).toContain("--workers");
  });
});

describe("the command, in a clone", () => {
  /** Creates a clone in the state that `npm ci` leaves: sources and node_modules, but no build output. */
  async function clone(): Promise<{ folder: string; cloud: (...args: string[]) => ReturnType<typeof runCloud> }> {
    const folder = await createFolder();
    for (const name of ["bin", "src", "scripts", "package.json", "README.md"]) {
      await cp(join(root, "apps", "cli", name), join(folder, "apps", "cli", name), { recursive: true });
    }
    await symlink(join(root, "packages"), join(folder, "packages"));
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    const command = [findOwnNode() ?? node, join(folder, "apps", "cli", "bin", "cloud.js")];
    return { folder, cloud: (...args) => runCloud({ home: server.home, command }, ...args) };
  }

  test("M018 the first use builds it, and a changed source triggers a new build", async () => {
    const { folder, cloud } = await clone();
    const dist = join(folder, "apps", "cli", "dist");
    expect((await cloud("whoami", "-o", "name")).out).toBe("admin\n");
    const first = await readFile(join(dist, "inputs.json"), "utf8");
    expect((await cloud("whoami", "-o", "name")).out).toBe("admin\n");
    expect(await readFile(join(dist, "inputs.json"), "utf8")).toBe(first);
    const source = join(folder, "apps", "cli", "src", "commands", "whoami.ts");
    await writeFile(source, (await readFile(source, "utf8")).replace('answer.user ?? ""', "`I am ${answer.user}`"));
    await utimes(source, new Date(0), new Date(0));
    expect((await cloud("whoami", "-o", "name")).out).toBe("I am admin\n");
  });

  test("M018 the sources run if a build is impossible", async () => {
    const { folder, cloud } = await clone();
    await rm(join(folder, "apps", "cli", "scripts"), { recursive: true });
    expect(await cloud("whoami", "-o", "name")).toMatchObject({ code: 0, out: "admin\n" });
    expect((await cloud("get", "cluster", "none")).code).toBe(3);
  });
});

/** Returns the system's own Node, which may be older than the one in node_modules. */
function findOwnNode(): string | undefined {
  const folders = (processEnvironment["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  return findTool("node", { PATH: folders.join(delimiter) });
}

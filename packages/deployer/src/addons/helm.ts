import type { KubeAccess, KubeObject } from "@cloudwright/kube";
import { Fault } from "@cloudwright/platform";
import type { Spawn } from "@cloudwright/terraform";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deployerFaults } from "../faults.ts";
import type { JsonObject } from "../task.ts";
import type { Chart } from "./add-on.ts";
import { parseManifest } from "./parse-manifest.ts";

/** Runs the helm program against one cluster. */
export interface Helm {
  /** Downloads a packaged chart and returns the path of the file. */
  pull(chart: Chart, version: string): Promise<string>;
  /** Returns a release's status, such as `deployed`, `failed` or `pending-upgrade`, or undefined if the release does not exist. */
  findStatus(chart: Chart): Promise<string | undefined>;
  /** Returns the custom resource definitions in the `crds` folder of a packaged chart. */
  listKinds(file: string): Promise<readonly KubeObject[]>;
  /** Installs or upgrades a release without its custom resource definitions. */
  install(chart: Chart, file: string, values: JsonObject, timeoutMs: number): Promise<void>;
  /** Rolls back an interrupted upgrade. */
  rollback(chart: Chart): Promise<void>;
  /** Uninstalls a release. Returns false if the release does not exist. */
  uninstall(release: { readonly name: string; readonly namespace: string }): Promise<boolean>;
  /** Returns the objects in a release's manifest. */
  listObjects(chart: Chart): Promise<readonly KubeObject[]>;
}

export interface HelmOptions {
  readonly path: string;
  readonly access: KubeAccess;
  readonly directory: string;
  readonly signal: AbortSignal;
  log(line: string): void;
}

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Creates a helm runner. Helm receives the token only through its environment and ignores the user's helm and kubectl configuration. */
export function createHelm({ spawn }: { readonly spawn: Spawn }, options: HelmOptions): Helm {
  const { path, access, signal, log } = options;
  const home = join(options.directory, "helm");
  const inNamespace = ({ namespace }: { readonly namespace: string }): string[] => ["--namespace", namespace];

  const makeHome = (): Promise<unknown> => mkdir(home, { recursive: true, mode: 0o700 });

  async function ask(args: readonly string[]): Promise<Ran> {
    signal.throwIfAborted();
    await makeHome();
    const authority = join(home, "authority.pem");
    await writeFile(authority, access.caPem, { mode: 0o600 });
    const token = (await access.token()).reveal();
    const env = {
      HELM_KUBEAPISERVER: access.server,
      HELM_KUBECAFILE: authority,
      HELM_KUBETOKEN: token,
      KUBECONFIG: join(home, "none"),
      HELM_CACHE_HOME: join(home, "cache"),
      HELM_CONFIG_HOME: join(home, "config"),
      HELM_DATA_HOME: join(home, "data"),
    };
    const child = await spawn(path, args, { cwd: home, env });
    child.stdin.end();
    const [stdout, stderr, { code }] = await Promise.all([readText(child.stdout), readText(child.stderr), child.ended]);
    signal.throwIfAborted();
    return { code, stdout, stderr: stderr.replaceAll(token, "[secret]") };
  }

  async function run(args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await ask(args);
    for (const line of stderr.split("\n")) if (line.trim() !== "") log(`helm: ${line}`);
    if (code === 0) return stdout;
    const said = stderr.split("\n").findLast((line) => line.trim() !== "") ?? `exited with code ${code}`;
    throw new Fault(deployerFaults.helm_failed, `helm ${args[0]}: ${said.replace(/^Error: /, "")}`);
  }

  return {
    async pull({ name, repository = "" }, version) {
      const folder = join(home, "charts", name);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const from = repository.startsWith("oci://") ? [`${repository}/${name}`] : [name, "--repo", repository];
      await run(["pull", ...from, "--version", version, "--destination", folder]);
      const found = (await readdir(folder)).find((file) => file.endsWith(".tgz"));
      if (found === undefined)
        throw new Fault(deployerFaults.helm_failed, `helm pull: no chart was downloaded for ${name} ${version}`);
      return join(folder, found);
    },
    async findStatus(chart) {
      const { code, stdout, stderr } = await ask(["status", chart.release, ...inNamespace(chart), "--output", "json"]);
      if (code === 0) return (JSON.parse(stdout) as { info: { status: string } }).info.status;
      if (/release: not found/.test(stderr)) return undefined;
      throw new Fault(deployerFaults.helm_failed, `helm status: ${stderr.trim().split("\n").at(-1) ?? ""}`);
    },
    async listKinds(file) {
      const found = await parseManifest(await run(["show", "crds", file]), { signal });
      // Some charts keep other objects in the `crds` folder.
      return found.filter(({ kind }) => kind === "CustomResourceDefinition");
    },
    async install(chart, file, values, timeoutMs) {
      await makeHome();
      const valuesFile = join(home, `${chart.release}.values.json`);
      await writeFile(valuesFile, JSON.stringify(values), { mode: 0o600 });
      await run([
        "upgrade",
        "--install",
        chart.release,
        file,
        ...inNamespace(chart),
        "--create-namespace",
        "--skip-crds",
        "--values",
        valuesFile,
        "--history-max",
        "5",
        "--timeout",
        `${Math.ceil(timeoutMs / 1000)}s`,
      ]);
    },
    rollback: async (chart) => void (await run(["rollback", chart.release, ...inNamespace(chart)])),
    async uninstall({ name, namespace }) {
      const { code, stderr } = await ask(["uninstall", name, ...inNamespace({ namespace })]);
      if (code === 0) return true;
      if (/not found/.test(stderr)) return false;
      throw new Fault(deployerFaults.helm_failed, `helm uninstall: ${stderr.trim().split("\n").at(-1) ?? ""}`);
    },
    async listObjects(chart) {
      const manifest = await run(["get", "manifest", chart.release, ...inNamespace(chart)]);
      return (await parseManifest(manifest, { signal })).map((object) => withNamespace(object, chart.namespace));
    },
  };
}

/**
 * Maximum size of helm's output. No chart in the catalogue comes close to it. The limit is needed because the cluster's administrators can
 * change the stored release, which is compressed.
 */
const mostBytes = 32 * 1024 ** 2;

async function readText(stream: AsyncIterable<Buffer | string>): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream) {
    const bytes = Buffer.from(part);
    size += bytes.length;
    // Throwing closes the stream, which terminates helm.
    if (size > mostBytes) throw new Fault(deployerFaults.helm_failed, `helm wrote more than ${mostBytes} bytes`);
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString();
}

const clusterWide = new Set(["CustomResourceDefinition", "APIService"]);

function withNamespace(object: KubeObject, namespace: string): KubeObject {
  if (object.metadata.namespace !== undefined || clusterWide.has(object.kind)) return object;
  return { ...object, metadata: { ...object.metadata, namespace } };
}

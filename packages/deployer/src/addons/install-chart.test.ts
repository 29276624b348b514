import { createKubeClient } from "@cloudwright/kube";
import { openSimulatedCluster } from "@cloudwright/kube/testing";
import { pickChildEnvironment, processEnvironment, requireTool } from "@cloudwright/platform";
import { createSpawn } from "@cloudwright/terraform";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDeployer } from "../create-deployer.ts";
import type { DeployerOutcome, JsonObject } from "../task.ts";
import { createClusterTask, openTestCloud } from "../testing/cluster-task.ts";
import type { AddOn, Chart } from "./add-on.ts";

const helm = requireTool("helm");
const spawn = createSpawn(pickChildEnvironment(processEnvironment));

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  replicas: {{ .Values.replicas }}
  selector: { matchLabels: { app: tiny } }
  template:
    metadata: { labels: { app: tiny } }
    spec: { containers: [ { name: tiny, image: "tiny:{{ .Chart.Version }}" } ] }
`;

describe.skipIf(!helm.found)(`installing charts with helm${helm.found ? "" : ` (${helm.reason})`}`, () => {
  let cluster: Awaited<ReturnType<typeof openSimulatedCluster>>;
  let folder: string;
  beforeAll(async () => {
    cluster = await openSimulatedCluster([{ name: "a" }]);
    folder = mkdtempSync(join(tmpdir(), "charts-"));
    pack("1.0.0");
  });
  afterAll(async () => {
    await cluster?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const kind = (version: string): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: tinies.example.org, annotations: { of: "${version}" } }
spec:
  group: example.org
  scope: Namespaced
  names: { kind: Tiny, plural: tinies, singular: tiny, listKind: TinyList }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]
`;
  function pack(version: string, more = ""): string {
    const source = join(folder, "tiny");
    for (const part of ["templates", "crds"]) mkdirSync(join(source, part), { recursive: true });
    writeFileSync(join(source, "crds/tinies.yaml"), kind(version));
    writeFileSync(join(source, "Chart.yaml"), `apiVersion: v2\nname: tiny\nversion: ${version}\n`);
    writeFileSync(join(source, "values.yaml"), `replicas: 1\n${more}`);
    writeFileSync(join(source, "templates/deployment.yaml"), deployment);
    execFileSync(helm.found ? helm.path : "", ["package", source, "--destination", folder], { stdio: "ignore" });
    return createHash("sha256")
      .update(readFileSync(join(folder, `tiny-${version}.tgz`)))
      .digest("hex");
  }

  const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace: "charted", name: "tiny" };
  async function install(
    version: string,
    own: Partial<Chart> = {},
    configuration: JsonObject = {},
    isWanted = true,
  ): Promise<DeployerOutcome> {
    const chart = { name: "tiny", namespace: "charted", release: "tiny", ...own };
    const entry: AddOn = {
      name: "tiny",
      order: 5,
      version,
      wanted: "asked",
      install: { by: "chart", chart, values: () => ({ replicas: 1 }) },
    };
    const addOns = { catalogue: [entry], charts: folder, ...(helm.found ? { helm: helm.path } : {}) };
    const binaries = { get: () => Promise.reject(new Error("no terraform is needed")) };
    const deployer = createDeployer({
      binaries,
      openCloud: openTestCloud(cluster.access),
      patience: { reachMs: 0 },
      addOns,
    });
    const asked = [{ name: "tiny", version: "", configuration: JSON.stringify(configuration) }];
    const directory = mkdtempSync(join(folder, "task-"));
    const spec = { addOns: isWanted ? asked : [] };
    return deployer.handle(createClusterTask("cluster.addons", { spec, spawn, directory }));
  }
  const revisions = async (): Promise<number> => {
    const client = createKubeClient(cluster.access);
    const { items } = await client.list({ apiVersion: "v1", kind: "Secret" }, { namespace: "charted", labels: "owner=helm" });
    client.close();
    return items.length;
  };

  test("M132 M235 a chart from the agent's folder is installed with its values, upgraded, and left alone if nothing has changed", async () => {
    expect(await install("1.0.0", {}, { replicas: 2 })).toMatchObject({ outcome: "done" });
    expect((await cluster.client.get(ref)).spec.replicas).toBe(2);
    await install("1.0.0", {}, { replicas: 2 });
    expect(await revisions()).toBe(1);
    pack("1.1.0");
    await install("1.1.0", {}, { replicas: 1 });
    const { spec } = await cluster.client.get(ref);
    expect([spec.replicas, spec.template.spec.containers[0].image, await revisions()]).toEqual([1, "tiny:1.1.0", 2]);
  });

  test("M235 a chart's custom resource definitions are upgraded with it, and foreign ones are not changed", async () => {
    const definition = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", name: "tinies.example.org" };
    const of = async () => (await cluster.client.get(definition)).metadata.annotations?.["of"];
    expect(await of()).toBe("1.1.0");
    await cluster.client.patch(definition, { metadata: { labels: { "app.kubernetes.io/managed-by": "gitops" } } });
    pack("1.2.0");
    expect(await install("1.2.0")).toMatchObject({ outcome: "done" });
    expect(await of()).toBe("1.1.0");
    await install("1.1.0");
  });

  test("M235 a chart whose digest differs from the pinned one is rejected", async () => {
    const digest = "0".repeat(64);
    const refused = {
      outcome: "failed",
      fault: { code: "deployer.add_ons_refused", message: expect.stringContaining("digest") },
    };
    expect(await install("1.1.0", { digest })).toMatchObject(refused);
    pack("1.1.0", "changed: true\n");
    expect(await install("1.1.0")).toMatchObject(refused);
  });

  test("M235 a missing chart fails permanently, and a chart that is no longer requested is uninstalled", async () => {
    expect(await install("9.9.9")).toMatchObject({ outcome: "failed", fault: { permanent: true } });
    expect(await install("1.1.0", {}, {}, false)).toMatchObject({ outcome: "done" });
    expect(await cluster.client.find(ref)).toBeUndefined();
  });

  test("M132 an interrupted release is installed again", async () => {
    pack("2.0.0");
    await install("2.0.0");
    const secret = { apiVersion: "v1", kind: "Secret", namespace: "charted", name: "sh.helm.release.v1.tiny.v1" };
    const { data } = (await cluster.client.get(secret)) as unknown as { data: { release: string } };
    const packed = Buffer.from(Buffer.from(data.release, "base64").toString(), "base64");
    const release = JSON.parse(gunzipSync(packed).toString()) as { info: { status: string } };
    release.info.status = "pending-install";
    const text = Buffer.from(gzipSync(JSON.stringify(release)).toString("base64")).toString("base64");
    await cluster.client.patch(secret, { data: { release: text } });
    await cluster.client.delete(ref);
    expect(await install("2.0.0")).toMatchObject({ outcome: "done" });
    expect(await cluster.client.find(ref)).toBeDefined();
  });
});

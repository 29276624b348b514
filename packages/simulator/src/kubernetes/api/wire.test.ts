import { request } from "node:https";
import { Secret } from "@cloudwright/platform";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterEndpoint } from "../host/cluster-credentials.ts";
import { startKubernetesHost, type KubernetesHost } from "../host/start-host.ts";
import { createMemoryObjects } from "../objects/memory-objects.ts";

interface Answered {
  readonly code: number;
  readonly headers: Record<string, unknown>;
  readonly body: any;
}

describe("Kubernetes API on the wire", () => {
  let host: KubernetesHost;
  let endpoint: ClusterEndpoint;
  let token: string;

  beforeAll(async () => {
    host = await startKubernetesHost({
      listen: { host: "127.0.0.1", port: 0 },
      store: createMemoryObjects(),
      secret: new Secret("wire"),
      timeScale: 0,
    });
    await host.createCluster("one", { version: "v1.32.4" });
    endpoint = await host.getEndpoint("one");
    token = /token: (\S+)/.exec(await host.getKubeconfig("one", "admin"))?.[1] ?? "";
    await host.settled("one");
  });
  afterAll(() => host.close());

  const send = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string | undefined> = {},
  ): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const url = new URL(`${endpoint.server}${path}`);
      const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
      const all = {
        "content-length": String(Buffer.byteLength(text)),
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        ...headers,
      };
      for (const [name, value] of Object.entries(all)) if (value === undefined) delete all[name as keyof typeof all];
      const call = request(
        url,
        { method, ca: endpoint.certificateAuthorityPem, servername: endpoint.tlsServerName, headers: all },
        (answer) => {
          let answered = "";
          answer.on("data", (data: Buffer) => (answered += data.toString()));
          answer.on("end", () => resolve({ code: answer.statusCode ?? 0, headers: answer.headers, body: parse(answered) }));
        },
      );
      call.on("error", reject);
      call.end(text);
    });
  const parse = (text: string): any => {
    const lines = text.trim().split("\n");
    try {
      return lines.length === 1 ? JSON.parse(text) : lines.map((line) => JSON.parse(line));
    } catch {
      return text;
    }
  };
  const maps = "/api/v1/namespaces/default/configmaps";
  const create = (name: string, labels: Record<string, string> = {}): Promise<Answered> =>
    send("POST", maps, { metadata: { name, labels } });

  test("M130 an invalid token is rejected, and an anonymous client sees only health and version", async () => {
    expect(await send("GET", "/api/v1/nodes", undefined, { authorization: "Bearer wrong" })).toMatchObject({
      code: 401,
      body: { kind: "Status", reason: "Unauthorized" },
    });
    const nobody = { authorization: undefined };
    expect((await send("GET", "/version", undefined, nobody)).code).toBe(200);
    expect((await send("GET", "/api/v1/nodes", undefined, nobody)).body).toMatchObject({ code: 403, reason: "Forbidden" });
    expect((await send("GET", "/nowhere")).body).toMatchObject({ kind: "Status", code: 404, reason: "NotFound" });
    expect((await send("PUT", maps, {})).code).toBe(405);
    expect((await send("POST", maps, "{not json")).body).toMatchObject({ code: 400, reason: "BadRequest" });
    expect((await send("POST", maps, `{"data":{"a":"${"x".repeat(4_000_000)}"}}`)).code).toBe(413);
  });

  test("M130 a watch resumes from a version, follows a selector, and ends after its timeout", async () => {
    const { body: list } = await send("GET", maps);
    const from = list.metadata.resourceVersion;
    await create("watched", { in: "yes" });
    await send(
      "PATCH",
      `${maps}/watched`,
      { metadata: { labels: { in: "no" } } },
      { "content-type": "application/merge-patch+json" },
    );
    await send("DELETE", `${maps}/watched`);
    const { body: all } = await send("GET", `${maps}?watch=1&resourceVersion=${from}&timeoutSeconds=1&allowWatchBookmarks=true`);
    expect(all.map(({ type }: any) => type)).toEqual(["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]);
    expect(Number(all[3].object.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(all[2].object.metadata.resourceVersion));
    const { body: selected } = await send(
      "GET",
      `${maps}?watch=1&resourceVersion=${from}&timeoutSeconds=1&labelSelector=in%3Dyes`,
    );
    expect(selected.map(({ type, object }: any) => [type, object.metadata.labels.in])).toEqual([
      ["ADDED", "yes"],
      ["DELETED", "yes"],
    ]);
    const { body: initial } = await send(
      "GET",
      `${maps}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1&fieldSelector=metadata.name%3Dkube-root-ca.crt`,
    );
    expect(initial.slice(0, 2)).toMatchObject([
      { type: "ADDED" },
      { type: "BOOKMARK", object: { metadata: { annotations: { "k8s.io/initial-events-end": "true" } } } },
    ]);
  });

  test("M130 a client that watches from a version that never existed must list again", async () => {
    expect(await send("GET", `${maps}?watch=1&resourceVersion=999999`)).toMatchObject({ code: 410, body: { reason: "Expired" } });
  });

  test("M130 lists can be paged, rendered as tables, or reduced to metadata", async () => {
    for (const name of ["page-1", "page-2", "page-3"]) await create(name, { paged: "yes" });
    const first = await send("GET", `${maps}?labelSelector=paged&limit=2`);
    expect(first.body).toMatchObject({
      kind: "ConfigMapList",
      items: [{ metadata: { name: "page-1" } }, { metadata: { name: "page-2" } }],
    });
    expect((await send("GET", `${maps}?limit=1`)).body.metadata.remainingItemCount).toBeGreaterThan(2);
    const second = await send("GET", `${maps}?labelSelector=paged&limit=2&continue=${first.body.metadata.continue}`);
    expect(second.body.items.map(({ metadata }: any) => metadata.name)).toEqual(["page-3"]);
    expect((await send("GET", `${maps}?limit=1&continue=nonsense`)).code).toBe(400);
    const table = await send("GET", `${maps}/page-1`, undefined, {
      accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
    });
    expect(table.body).toMatchObject({
      kind: "Table",
      columnDefinitions: [{ name: "Name" }, { name: "Data" }, { name: "Age" }],
      rows: [{ cells: ["page-1", 0, expect.stringMatching(/^\d+s$/)], object: { kind: "PartialObjectMetadata" } }],
    });
    const metadata = await send("GET", maps, undefined, {
      accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    });
    expect(metadata.body).toMatchObject({ kind: "PartialObjectMetadataList" });
  });

  test("M130 a change without effect does not create a version, and a change to an old version is rejected", async () => {
    const { body: made } = await create("still", { a: "b" });
    const same = await send(
      "PATCH",
      `${maps}/still`,
      { metadata: { labels: { a: "b" } } },
      { "content-type": "application/merge-patch+json" },
    );
    expect(same.body.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    expect((await send("PUT", `${maps}/still`, { metadata: { name: "still", resourceVersion: "1" } })).body).toMatchObject({
      code: 409,
      reason: "Conflict",
    });
    expect((await send("DELETE", `${maps}/still`, { preconditions: { uid: "other" } })).code).toBe(409);
    expect((await send("DELETE", `${maps}/still?dryRun=All`)).code).toBe(200);
    expect((await send("GET", `${maps}/still`)).code).toBe(200);
  });

  test("M130 unknown fields cause a warning, are rejected, or are ignored, as requested", async () => {
    const body = { metadata: { name: "odd" }, dat: {} };
    const warned = await send("POST", `${maps}?dryRun=All`, body);
    expect(warned).toMatchObject({ code: 201, headers: { warning: '299 - "unknown field \\"dat\\""' } });
    expect((await send("POST", `${maps}?fieldValidation=Strict`, body)).code).toBe(400);
    expect((await send("POST", `${maps}?dryRun=All&fieldValidation=Ignore`, body)).headers["warning"]).toBeUndefined();
    expect((await send("POST", `${maps}?fieldValidation=Nonsense`, body)).code).toBe(422);
  });

  test("M130 server-side apply accepts YAML and creates missing objects", async () => {
    const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: applied\ndata:\n  a: b\n";
    const type = { "content-type": "application/apply-patch+yaml" };
    expect((await send("PATCH", `${maps}/applied?fieldManager=t`, yaml, type)).code).toBe(201);
    expect((await send("PATCH", `${maps}/applied?fieldManager=t`, yaml, type)).code).toBe(200);
    expect((await send("PATCH", `${maps}/applied`, yaml, type)).code).toBe(422);
    expect((await send("PATCH", `${maps}/applied?fieldManager=u`, yaml.replace("a: b", "a: c"), type)).body).toMatchObject({
      code: 409,
      details: { causes: [{ field: ".data.a" }] },
    });
  });

  test("M130 server-side apply accepts a partial object and owns only the given fields", async () => {
    const path = "/apis/apps/v1/namespaces/default/deployments/part";
    const type = { "content-type": "application/apply-patch+yaml" };
    const head = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "part" } };
    expect((await send("PATCH", `${path}?fieldManager=a`, { ...head, spec: { replicas: 1 } }, type)).body).toMatchObject({
      code: 422,
      reason: "Invalid",
    });
    const containers = [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }];
    const spec = { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } }, spec: { containers } } };
    expect((await send("PATCH", `${path}?fieldManager=a`, { ...head, spec }, type)).code).toBe(201);
    const second = await send("PATCH", `${path}?fieldManager=b`, { ...head, spec: { replicas: 0 } }, type);
    expect(second.body.spec.template.spec.containers[0].ports).toEqual([{ containerPort: 80, protocol: "TCP" }]);
    const [first] = second.body.metadata.managedFields;
    expect(first.fieldsV1["f:spec"]["f:template"]["f:spec"]["f:containers"]['k:{"name":"c"}']["f:ports"]).toEqual({
      'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} },
    });
    expect((await send("PATCH", `${path}?fieldManager=b`, { ...head }, type)).body.spec.replicas).toBe(1);
  });

  test("M130 discovery is served completely, in parts, and aggregated", async () => {
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
    const whole = await send("GET", "/apis", undefined, { accept });
    expect(whole.headers["content-type"]).toBe("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    const apps = whole.body.items.find(({ metadata }: any) => metadata.name === "apps");
    expect(
      apps.versions[0].resources
        .find(({ resource }: any) => resource === "deployments")
        .subresources.map(({ subresource }: any) => subresource),
    ).toEqual(["scale", "status"]);
    expect((await send("GET", "/apis/apps")).body).toMatchObject({ kind: "APIGroup", preferredVersion: { version: "v1" } });
    expect((await send("GET", "/api/v1")).body.resources.map(({ name }: any) => name)).toContain("pods/log");
    const parts = (await send("GET", "/openapi/v3")).body.paths;
    const apart = await send("GET", parts["apis/apps/v1"].serverRelativeURL);
    expect(apart.body.components.schemas["io.k8s.api.apps.v1.Deployment"].properties.spec.allOf).toEqual([
      { $ref: "#/components/schemas/io.k8s.api.apps.v1.DeploymentSpec" },
    ]);
  });

  test("M130 users cannot grant more permissions than they have", async () => {
    const role = {
      metadata: { name: "grants" },
      rules: [
        { apiGroups: ["rbac.authorization.k8s.io"], resources: ["clusterroles", "clusterrolebindings"], verbs: ["create"] },
      ],
    };
    await send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", role);
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "grants" };
    await send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
      metadata: { name: "grants" },
      roleRef,
      subjects: [{ kind: "User", name: "eve" }],
    });
    const all = { metadata: { name: "all" }, rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }] };
    const as = { "impersonate-user": "eve" };
    expect((await send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", all, as)).body).toMatchObject({
      code: 403,
      reason: "Forbidden",
    });
    const binding = {
      metadata: { name: "eve" },
      roleRef: { ...roleRef, name: "cluster-admin" },
      subjects: [{ kind: "User", name: "eve" }],
    };
    expect((await send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", binding, as)).code).toBe(403);
    expect((await send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", { ...binding, roleRef }, as)).code).toBe(
      201,
    );
  });
});

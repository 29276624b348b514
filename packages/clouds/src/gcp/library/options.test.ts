import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect, promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { createGcp } from "../create-gcp.ts";
import { fakeProject } from "../testing/fake-google.ts";
import { useFakeProject, clusterRequest, faultOf } from "../testing/library-test.ts";

const project = useFakeProject();
const openssl = spawnSync("openssl", ["version"]);
const folder = mkdtempSync(join(tmpdir(), "gcp-options-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("M151 a token function is called again before a token expires, and when Google Cloud rejects one during a wait", async () => {
  let issued = 0;
  project.google.tokens.clear();
  const accessToken = async () => {
    issued += 1;
    const token = `token-${issued}`;
    project.google.tokens.clear();
    project.google.tokens.add(token);
    return { token, expiresAt: new Date(project.nowMs + 3600_000) };
  };
  const gcp = project.open({ accessToken });
  await gcp.clusters.create(clusterRequest);
  expect(issued).toBe(1);
  project.google.tokens.clear();
  await gcp.clusters.waitReady("my-cluster");
  expect(issued).toBe(2);
  project.nowMs += 3600_000 - 4 * 60_000;
  await gcp.clusters.get("my-cluster");
  expect(issued).toBe(3);
});

test("M151 an expired plain token is reported, and a new one can be used to continue", async () => {
  const gcp = project.open();
  await gcp.clusters.create(clusterRequest);
  project.google.tokens.clear();
  expect(await faultOf(gcp.clusters.waitReady("my-cluster"))).toMatchObject({
    code: "clouds.credentials_refused",
    extra: { category: "auth" },
  });
  project.google.tokens.add("token-2");
  expect(await project.open({ accessToken: "token-2" }).clusters.waitReady("my-cluster")).toMatchObject({ status: "running" });
});

test("M155 contradictory options are refused, and a library prints no secret", async () => {
  const options = { projectId: fakeProject };
  expect(() => createGcp({ ...options, accessToken: "a", serviceAccountKey: {} })).toThrow(/only one/);
  expect(() => createGcp({ ...options, accessToken: " " })).toThrow(/empty/);
  expect(() => createGcp({ projectId: "" })).toThrow(/projectId is required; pass it to createGcp/);
  expect(() => createGcp({ ...options, serviceAccountKey: '{"type":"authorized_user"}' })).toThrow(/wrong type/);
  const gcp = project.open({ accessToken: "ya29.very-secret" });
  expect(inspect(gcp, { depth: 10, showHidden: true }) + JSON.stringify(gcp)).not.toContain("very-secret");
  const fault = await faultOf(gcp.clusters.list());
  expect(inspect(fault, { depth: 10, showHidden: true }) + JSON.stringify(fault)).not.toContain("very-secret");
});

test("M150 without a region or a zone, calls that need one are refused with the options to pass", async () => {
  const { endpoints } = project.google;
  const gcp = createGcp({ projectId: fakeProject, accessToken: "token-1", endpoints });
  const { region: _region, ...anywhere } = clusterRequest;
  for (const call of [
    () => gcp.clusters.create(anywhere),
    () => gcp.instances.create({ name: "vm", image: "debian-12", type: "e2-small" }),
    () => gcp.availableVersions(),
  ])
    expect(await faultOf(call())).toMatchObject({
      code: "clouds.invalid",
      message: "set region or zone in the request or in the options of createGcp",
    });
  expect(project.google.seen).toEqual([]);
  expect(await gcp.clusters.list()).toEqual([]);
});

test("M155 an overridden endpoint works with and without the API's version, and anything but a URL is refused", async () => {
  const { origin } = new URL(project.google.endpoints.compute);
  for (const suffix of ["", "/", "/v1", "/v1/"]) {
    const endpoints = { container: `${origin}/container${suffix}`, compute: `${origin}${suffix.replace("/v1", "/compute/v1")}` };
    const gcp = project.open({ endpoints });
    expect(await gcp.clusters.list()).toEqual([]);
    expect(await gcp.instances.list()).toEqual([]);
  }
  expect(await project.open({ endpoints: { compute: `${origin}/compute` } }).instances.list()).toEqual([]);
  for (const container of ["", "container.googleapis.com", "localhost:8080", "file:///v1/"])
    expect(() => project.open({ endpoints: { container } })).toThrow(
      expect.objectContaining({
        code: "clouds.invalid",
        message: expect.stringContaining("endpoints.container") as string,
      }) as Error,
    );
});

test("M163 creating a library loads neither Google's library nor the logger", async () => {
  const script = `
    const { createRequire } = await import("node:module");
    const { createGcp } = await import(process.argv[1]);
    createGcp({ projectId: "p", accessToken: "t" });
    const loaded = Object.keys(createRequire(process.argv[1]).cache).filter((path) => /google-auth-library|gaxios|pino/.test(path));
    console.log(JSON.stringify(loaded));
  `;
  const file = join(import.meta.dirname, "../create-gcp.ts");
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, file]);
  expect(JSON.parse(stdout)).toEqual([]);
});

test.skipIf(openssl.error !== undefined)(
  "M155 an overridden endpoint may use a certificate from an additional certificate authority",
  async () => {
    const [key, cert] = ["key.pem", "cert.pem"].map((name) => join(folder, name)) as [string, string];
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    spawnSync("openssl", [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-keyout",
      key,
      "-out",
      cert,
      ...subject,
    ]);
    const caPem = readFileSync(cert, "utf8");
    const server = createServer({ key: readFileSync(key), cert: caPem }, (_, response) => {
      response.setHeader("content-type", "application/json").end("{}");
    });
    server.unref().listen(0, "localhost");
    await once(server, "listening");
    const endpoints = { container: `https://localhost:${(server.address() as AddressInfo).port}/v1/` };
    expect(await project.open({ endpoints, caPem }).clusters.list()).toEqual([]);
    expect((await faultOf(project.open({ endpoints }).clusters.list())).extra.category).toBe("unavailable");
    server.closeAllConnections();
    server.close();
  },
);

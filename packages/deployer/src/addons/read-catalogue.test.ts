import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Site } from "./add-on.ts";
import { readCatalogue } from "./read-catalogue.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "catalogue-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (text: string, name = "one.yaml"): void => writeFileSync(join(folder, name), text);
const site = { address: { name: "dev-1", region: "eu-west-1" } } as unknown as Site;

test("M235 a catalogue folder contains YAML files with charts or with manifests that have placeholders", () => {
  write(`
name: banner
version: "1.0"
order: 70
wanted: { when: aws.banner }
values: { text: hello, count: 1 }
manifests:
  - { apiVersion: v1, kind: ConfigMap, metadata: { name: "banner-{{cluster}}", namespace: default }, data: { text: "{{values.text}} from {{region}}", version: "{{version}}" } }
  - { apiVersion: apps/v1, kind: Deployment, metadata: { name: banner }, spec: { replicas: "{{values.count}}" } }
`);
  const digest = "ab".repeat(32);
  write(
    `{ name: charted, version: 1.2.3, clouds: [aws], chart: { name: charted, namespace: charted, repository: "oci://example.org/charts", digest: "sha256:${digest}" }, values: { cluster: "{{cluster}}" } }`,
    "two.yml",
  );
  write("not an entry", "readme.txt");
  const [banner, charted] = readCatalogue(folder);
  expect(banner).toMatchObject({ name: "banner", version: "1.0", order: 70, wanted: { when: "aws.banner" } });
  if (banner?.install.by !== "manifests" || charted?.install.by !== "chart") throw new Error("they are installed otherwise");
  expect(banner.install.render(site, "1.1", { count: 3 })).toMatchObject([
    { metadata: { name: "banner-dev-1" }, data: { text: "hello from eu-west-1", version: "1.1" } },
    { spec: { replicas: 3 } },
  ]);
  expect(charted).toMatchObject({
    order: 100,
    wanted: "asked",
    clouds: ["aws"],
    install: { chart: { release: "charted", digest } },
  });
  expect(charted.install.values(site)).toEqual({ cluster: "dev-1" });
});

test.each([
  ["{", "YAML"],
  ["name: No Name", "name"],
  ["name: a", "version"],
  ["{ name: a, version: '1' }", "manifests"],
  ["{ name: a, version: '1', manifests: [{ kind: ConfigMap }] }", "manifests[0]"],
  ["{ name: a, version: '1', chart: { name: a } }", "namespace"],
  ["{ name: a, version: '1', chart: { name: a, namespace: a, digest: '1' } }", "digest"],
  ["{ name: a, version: '1', chart: { name: a, namespace: a, repository: 'file:///etc' } }", "repository"],
  ["{ name: a, version: '1', wanted: sometimes, manifests: [] }", "wanted"],
])("M235 %s is rejected with the file's name", (text, word) => {
  write(text);
  let said: unknown;
  try {
    readCatalogue(folder);
  } catch (error) {
    said = error;
  }
  expect(said).toMatchObject({ code: "deployer.bad_catalogue", message: expect.stringContaining("one.yaml") });
  expect((said as Error).message).toContain(word);
});

test("M235 a missing folder and an unknown placeholder cause faults", () => {
  expect(() => readCatalogue(join(folder, "none"))).toThrow(expect.objectContaining({ code: "deployer.bad_catalogue" }));
  write("{ name: a, version: '1', manifests: [{ apiVersion: v1, kind: ConfigMap, metadata: { name: '{{values.who}}' } }] }");
  const [entry] = readCatalogue(folder);
  if (entry?.install.by !== "manifests") throw new Error("it is installed otherwise");
  const { install } = entry;
  expect(() => install.render(site, "1", {})).toThrow(expect.objectContaining({ code: "deployer.bad_catalogue" }));
});

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadRules } from "./load-rules.ts";

const root = join(import.meta.dirname, "../../..");
const files = globSync("policies/**/*.yaml", { cwd: root }).toSorted();
const names = loadRules(files.map((name) => ({ name, text: readFileSync(join(root, name), "utf8") }))).rules.map(
  ({ name }) => name,
);

/** Uses the same rule for every cloud, because the rule checks the entity itself or the resources of all providers. */
const all = (rule: string) => ({ aws: [rule], gcp: [rule], azure: [rule] });
/** States why a cloud needs no rule. */
const because = (reason: string) => reason;

/** Requirements of the default rules, each with the rules that enforce it in each cloud. */
const matrix: Readonly<Record<string, Readonly<Record<"aws" | "gcp" | "azure", readonly string[] | string>>>> = {
  "storage is not public": {
    aws: ["aws-buckets-block-public-access", "aws-buckets-keep-their-block", "aws-buckets-have-no-public-acl"],
    gcp: ["google-buckets-are-not-public"],
    azure: ["azure-storage-is-not-public"],
  },
  "data is encrypted": {
    aws: ["aws-volumes-are-encrypted"],
    gcp: because("Google Cloud encrypts all disks and buckets, and this cannot be turned off"),
    azure: because("Azure encrypts all disks and storage accounts, and this cannot be turned off"),
  },
  "connections are encrypted": {
    aws: because("the policy of each bucket in the configurations denies connections without TLS"),
    gcp: because("Cloud Storage accepts only TLS"),
    azure: ["azure-storage-uses-tls"],
  },
  "management ports are closed to the internet": {
    aws: ["aws-management-ports-are-closed"],
    gcp: ["google-management-ports-are-closed"],
    azure: ["azure-management-ports-are-closed"],
  },
  "resources name their owner": {
    aws: ["aws-resources-name-their-owner"],
    gcp: ["google-resources-name-their-owner"],
    azure: ["azure-resources-name-their-owner"],
  },
  "public endpoints allow only narrow ranges": all("production-endpoint-is-narrow"),
  "versions are maintained": all("supported-kubernetes"),
  "ranges do not overlap": all("ranges-are-apart"),
  "production is protected": all("production-is-protected"),
  "production buckets keep their objects": all("production-buckets-keep-objects"),
  "production avoids spot machines": all("production-spot-capacity"),
  "data is kept": all("keep-data"),
  "traffic is kept": all("keep-traffic"),
  "gateways are kept until their traffic has moved": {
    aws: ["keep-gateways"],
    gcp: because("Cloud NAT has no gateways that move between zones"),
    azure: because("the configurations replace the NAT gateway, which keep-traffic reports"),
  },
  "access is kept": all("keep-access"),
  "interruptions are reported": {
    ...all("tell-interruptions"),
    azure: ["tell-interruptions", "azure-outbound-changes-are-reported"],
  },
  "pools keep their nodes": {
    aws: because("the configurations create the new node group before they delete the old one"),
    gcp: because("the configurations create the new node pool before they delete the old one"),
    azure: ["azure-pools-keep-their-nodes"],
  },
  "permissions are kept": all("keep-permissions"),
  "keys are kept": all("keep-keys"),
  "forgotten resources are reported": all("tell-forgotten"),
};

test("M222 the default rules have the same requirements in every cloud: each topic has a rule or a reason, and each rule has a topic", () => {
  const cells = Object.values(matrix).flatMap((row) => Object.values(row));
  const used = cells.flatMap((cell) => (typeof cell === "string" ? [] : cell));
  expect([...new Set(used)].toSorted()).toEqual(names.toSorted());
  for (const cell of cells) expect(cell.length).toBeGreaterThan(typeof cell === "string" ? 20 : 0);
});

test("M222 a rule that names a provider's resources belongs to that provider's cloud", () => {
  const prefixes = { aws: "aws-", gcp: "google-", azure: "azure-" };
  const wrong = Object.values(matrix).flatMap((row) =>
    Object.entries(row).flatMap(([cloud, rules]) =>
      typeof rules === "string"
        ? []
        : rules.filter((rule) => Object.entries(prefixes).some(([other, prefix]) => other !== cloud && rule.startsWith(prefix))),
    ),
  );
  expect(wrong).toEqual([]);
});

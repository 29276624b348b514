import { expect, test } from "vitest";
import { listSpecProblems } from "../index.ts";
import { renderGroupTag } from "./security-groups.ts";

const fieldsOf = (kind: string, spec: Readonly<Record<string, unknown>>): string[] =>
  listSpecProblems("gcp", kind, { name: "x", spec, owner: {}, region: "" }).map(({ field }) => field);

test("M206 a volume has a region, a zone in it, and a type whose limits it respects", () => {
  expect(fieldsOf("Volume", { sizeGib: 1, region: "europe-west1" })).toEqual([]);
  expect(fieldsOf("Volume", { sizeGib: 500, region: "europe-west1", zone: "b", type: "pd-extreme" })).toEqual([]);
  expect(fieldsOf("Volume", { sizeGib: 10 })).toEqual(["spec.region"]);
  expect(fieldsOf("Volume", { sizeGib: 10, region: "europe-west1", zone: "europe-west2-b" })).toEqual(["spec.zone"]);
  expect(fieldsOf("Volume", { sizeGib: 10, region: "europe-west1", zone: "europe-west1-b", type: "gp3" })).toEqual(["spec.type"]);
  expect(fieldsOf("Volume", { sizeGib: 10, region: "europe-west1", type: "pd-extreme" })).toEqual(["spec.sizeGib"]);
});

test("M180 an egress rule names a range, because firewall rules cannot name the tag of a destination", () => {
  const rules = [
    { direction: "ingress", group: "web" },
    { direction: "egress", cidr: "10.0.0.0/8" },
    { direction: "egress", group: "web" },
  ];
  expect(fieldsOf("SecurityGroup", { rules })).toEqual(["spec.rules[2].group"]);
});

test("M180 an instance joins a group by its name, not by the group's network tag", () => {
  const tag = renderGroupTag("0199aaaa-0000-7000-8000-0123456789ab");
  expect(fieldsOf("Instance", { gcp: { networkTags: ["web", "cw-web"] } })).toEqual([]);
  expect(fieldsOf("Instance", { gcp: { networkTags: ["web", tag] } })).toEqual(["spec.gcp.networkTags"]);
  const many = Array.from({ length: 60 }, (_, index) => `t${index}`);
  expect(fieldsOf("Instance", { securityGroups: ["a", "b", "c", "d", "e"], gcp: { networkTags: many } })).toHaveLength(1);
});

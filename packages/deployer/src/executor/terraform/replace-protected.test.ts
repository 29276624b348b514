import { expect, test } from "vitest";
import { replacesProtected } from "./replace-protected.ts";

const stack = { protectedTypes: { aws_eks_cluster: ["aws_eks_node_group"] } };
const change = (resourceType: string, action: "replace" | "update") => ({ resourceType, action });
const state = (...types: string[]): string => {
  const provider = 'provider["registry.example/hashicorp/aws"]';
  const resources = types.map((type) => ({
    mode: "managed",
    type,
    name: "x",
    provider,
    instances: [{ attributes: { id: "i" } }],
  }));
  return JSON.stringify({ version: 4, terraform_version: "1.11.4", serial: 1, lineage: "l", outputs: {}, resources });
};

test("X010 a protected cluster is deleted before its replacement only if it has no node groups", () => {
  const replaced = [change("aws_eks_cluster", "replace")];
  expect(replacesProtected(stack, replaced, state("aws_eks_cluster", "aws_eks_addon"))).toBe(true);
  expect(replacesProtected(stack, replaced, state("aws_eks_cluster", "aws_eks_node_group"))).toBe(false);
  expect(replacesProtected(stack, replaced, undefined)).toBe(false);
  expect(replacesProtected(stack, [change("aws_eks_cluster", "update")], state("aws_eks_cluster"))).toBe(false);
  expect(replacesProtected(stack, [change("aws_vpc", "replace")], state("aws_vpc"))).toBe(false);
  expect(replacesProtected({}, replaced, state("aws_eks_cluster"))).toBe(false);
});

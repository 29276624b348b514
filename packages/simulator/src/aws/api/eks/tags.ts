import { objectOf, textOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { changeTags } from "../change-tags.ts";
import { tagsOf } from "./cluster-mapping.ts";
import { listHere, notFound, parameterOf, refuse } from "./eks-records.ts";

const arnAttributes = {
  aws_eks_cluster: "arn",
  aws_eks_node_group: "arn",
  aws_eks_addon: "arn",
  aws_eks_access_entry: "access_entry_arn",
};

/** Operations on the tags of EKS resources. */
export const tagOperations: readonly ApiOperation[] = [
  {
    name: "TagResource",
    match: { method: "POST", path: "/tags/{resourceArn}" },
    touches: { type: "aws_eks_cluster", operation: "update" },
    async run(call) {
      const added = Object.entries(objectOf(objectOf(call.body)["tags"])).map(([key, value]) => [key, textOf(value)] as const);
      await changeTags(call, await getByArn(call), { added: Object.fromEntries(added) });
      return { content: {} };
    },
  },
  {
    name: "UntagResource",
    match: { method: "DELETE", path: "/tags/{resourceArn}" },
    touches: { type: "aws_eks_cluster", operation: "update" },
    async run(call) {
      await changeTags(call, await getByArn(call), { removed: call.query.getAll("tagKeys") });
      return { content: {} };
    },
  },
  {
    name: "ListTagsForResource",
    match: { method: "GET", path: "/tags/{resourceArn}" },
    touches: { type: "aws_eks_cluster", operation: "read" },
    run: async (call) => ({ content: { tags: tagsOf(await getByArn(call)) } }),
  },
];

async function getByArn(call: ApiCall): Promise<CloudRecord> {
  const arn = parameterOf(call, "resourceArn");
  for (const [type, attribute] of Object.entries(arnAttributes)) {
    const found = (await listHere(call, type)).find(({ attributes }) => attributes[attribute] === arn);
    if (found !== undefined) return found;
  }
  return refuse(notFound(`Resource ${arn} not found`));
}

import type { AccessEntry } from "@aws-sdk/client-eks";
import { textOf, textsOf } from "@cloudwright/platform/json";
import { ownerTag } from "../../account-view.ts";
import { deriveToken } from "../../library/check-request.ts";
import { isCloudFault, orUndefined, refuseRequest } from "../../library/errors.ts";
import type { CloudPart, PartAttributes } from "../../library/parts.ts";
import type { AwsContext } from "../library/context.ts";
import { listClusters } from "../library/read-eks.ts";
import { sendTags } from "./eks-cluster.ts";
import { checkOwner, checkTaken, findOwned, listOwnTags, renderOwnerTags, sortTexts, type PartScope } from "./part-support.ts";

/**
 * EKS access entries. The ID is `<cluster>:<principal ARN>`, as in Terraform. Attributes: `cluster_name`, `principal_arn`,
 * `kubernetes_groups`, `type`, `access_policy_arns` (policies for the whole cluster), `tags`.
 */
export function createAccessEntryPart(context: AwsContext, { entityUid, region }: PartScope): CloudPart {
  const calls = createEntryCalls(context, region);
  const read = async (id: string, signal: AbortSignal): Promise<PartAttributes | undefined> => {
    const entry = await orUndefined(calls.get(id, signal));
    return entry === undefined ? undefined : toAttributes(entry, await calls.listPolicies(id, signal));
  };
  return {
    name: "aws_eks_access_entry",
    immutable: ["cluster_name", "principal_arn", "type"],
    async create(attributes, owner, signal) {
      const id = `${textOf(attributes["cluster_name"])}:${textOf(attributes["principal_arn"])}`;
      const { clusterName, principalArn } = readId(id);
      try {
        await calls.create(
          {
            clusterName,
            principalArn,
            kubernetesGroups: textsOf(attributes["kubernetes_groups"]),
            clientRequestToken: deriveToken(owner.token, "access-entry"),
            tags: renderOwnerTags(attributes, owner),
            ...(textOf(attributes["type"]) === "" ? {} : { type: textOf(attributes["type"]) }),
          },
          signal,
        );
      } catch (error) {
        if (!isCloudFault(error, "conflict")) throw error;
        checkTaken(`the access entry ${id}`, (await calls.get(id, signal)).tags, owner);
      }
      await calls.setPolicies(id, textsOf(attributes["access_policy_arns"]), signal);
      return { id, attributes: (await read(id, signal)) ?? attributes };
    },
    read,
    async update(id, attributes, signal) {
      const now = await calls.get(id, signal);
      const groups = attributes["kubernetes_groups"];
      if (groups !== undefined && sortTexts(groups).join() !== sortTexts(now.kubernetesGroups).join())
        await calls.setGroups(id, textsOf(groups), signal);
      if (attributes["access_policy_arns"] !== undefined)
        await calls.setPolicies(id, textsOf(attributes["access_policy_arns"]), signal);
      await sendTags(context, region, { arn: now.accessEntryArn, tags: now.tags }, attributes["tags"], signal);
      return (await read(id, signal)) ?? attributes;
    },
    async delete(id, signal) {
      const entry = await orUndefined(calls.get(id, signal));
      if (entry === undefined) return;
      checkOwner(`the access entry ${id}`, entry.tags, entityUid);
      await orUndefined(calls.remove(id, signal));
    },
    async listOwned(uid, signal) {
      const clusters = await listClusters(context, region, signal);
      const found = [];
      for (const { name } of clusters) {
        for (const principal of (await orUndefined(calls.listPrincipals(name, signal))) ?? []) {
          const id = `${name}:${principal}`;
          const owned = findOwned(id, (await orUndefined(calls.get(id, signal)))?.tags, uid);
          if (owned !== undefined) found.push(owned);
        }
      }
      return found;
    },
    async findOwner(id, signal) {
      return (await orUndefined(calls.get(id, signal)))?.tags?.[ownerTag];
    },
  };
}

function readId(id: string): { readonly clusterName: string; readonly principalArn: string } {
  const end = id.indexOf(":");
  const [clusterName, principalArn] = [id.slice(0, Math.max(end, 0)), id.slice(end + 1)];
  if (clusterName === "" || !principalArn.startsWith("arn:"))
    throw refuseRequest("aws", `"${id}" is not an access entry's ID; use <cluster>:<principal ARN>`);
  return { clusterName, principalArn };
}

function toAttributes(entry: AccessEntry, policies: readonly string[]): PartAttributes {
  return {
    cluster_name: entry.clusterName ?? "",
    principal_arn: entry.principalArn ?? "",
    kubernetes_groups: sortTexts(entry.kubernetesGroups),
    type: entry.type ?? "STANDARD",
    access_policy_arns: sortTexts(policies),
    tags: listOwnTags(entry.tags),
    ready: true,
    failed: false,
    arn: entry.accessEntryArn ?? "",
  };
}

interface NewEntry {
  readonly clusterName: string;
  readonly principalArn: string;
  readonly kubernetesGroups: string[];
  readonly clientRequestToken: string;
  readonly tags: Record<string, string>;
  readonly type?: string;
}

function createEntryCalls(context: AwsContext, region: string) {
  const call = <Answer>(doing: string, signal: AbortSignal, send: Parameters<typeof context.call<Answer>>[1]): Promise<Answer> =>
    context.call({ doing, region, signal }, send);
  const listPolicies = (id: string, signal: AbortSignal): Promise<string[]> =>
    call(`list the policies of the access entry ${id}`, signal, async (clients) => {
      const { paginateListAssociatedAccessPolicies } = await import("@aws-sdk/client-eks");
      const found: string[] = [];
      for await (const page of paginateListAssociatedAccessPolicies({ client: await clients.eks() }, readId(id)))
        found.push(...(page.associatedAccessPolicies ?? []).map(({ policyArn = "" }) => policyArn));
      return found;
    });
  return {
    listPolicies,
    get: (id: string, signal: AbortSignal): Promise<AccessEntry> =>
      call(`read the access entry ${id}`, signal, async (clients) => {
        const { DescribeAccessEntryCommand } = await import("@aws-sdk/client-eks");
        return (await (await clients.eks()).send(new DescribeAccessEntryCommand(readId(id)))).accessEntry as AccessEntry;
      }),
    create: (entry: NewEntry, signal: AbortSignal): Promise<void> =>
      call(`create the access entry of ${entry.principalArn}`, signal, async (clients) => {
        const { CreateAccessEntryCommand } = await import("@aws-sdk/client-eks");
        await (await clients.eks()).send(new CreateAccessEntryCommand(entry));
      }),
    setGroups: (id: string, kubernetesGroups: string[], signal: AbortSignal): Promise<void> =>
      call(`change the access entry ${id}`, signal, async (clients) => {
        const { UpdateAccessEntryCommand } = await import("@aws-sdk/client-eks");
        await (await clients.eks()).send(new UpdateAccessEntryCommand({ ...readId(id), kubernetesGroups }));
      }),
    async setPolicies(id: string, desired: readonly string[], signal: AbortSignal): Promise<void> {
      const now = await listPolicies(id, signal);
      await call(`change the policies of the access entry ${id}`, signal, async (clients) => {
        const { AssociateAccessPolicyCommand, DisassociateAccessPolicyCommand } = await import("@aws-sdk/client-eks");
        const client = await clients.eks();
        const accessScope = { type: "cluster" } as const;
        for (const policyArn of desired.filter((arn) => !now.includes(arn)))
          await client.send(new AssociateAccessPolicyCommand({ ...readId(id), policyArn, accessScope }));
        for (const policyArn of now.filter((arn) => !desired.includes(arn)))
          await client.send(new DisassociateAccessPolicyCommand({ ...readId(id), policyArn }));
      });
    },
    remove: (id: string, signal: AbortSignal): Promise<void> =>
      call(`delete the access entry ${id}`, signal, async (clients) => {
        const { DeleteAccessEntryCommand } = await import("@aws-sdk/client-eks");
        await (await clients.eks()).send(new DeleteAccessEntryCommand(readId(id)));
      }),
    listPrincipals: (clusterName: string, signal: AbortSignal): Promise<string[]> =>
      call(`list the access entries of ${clusterName}`, signal, async (clients) => {
        const { paginateListAccessEntries } = await import("@aws-sdk/client-eks");
        const found: string[] = [];
        for await (const { accessEntries = [] } of paginateListAccessEntries({ client: await clients.eks() }, { clusterName }))
          found.push(...accessEntries);
        return found;
      }),
  };
}

import { objectOf, textOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { readFields, writeFields, type ResourceMapping } from "../../../api/map-fields.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { tagsOf, toSeconds, toSorted } from "./cluster-mapping.ts";
import { findHere, getCluster, listHere, notFound, pageOf, parameterOf, refuse, regionOf } from "./eks-records.ts";

const type = "aws_eks_access_entry";
const policyType = "aws_eks_access_policy_association";

/** The fields of an access entry. */
export const accessEntryMapping: ResourceMapping = {
  type,
  model: "AccessEntry",
  fields: [
    ["clusterName", "cluster_name"],
    ["principalArn", "principal_arn"],
    { api: "kubernetesGroups", attribute: "kubernetes_groups", read: toSorted },
    { api: "accessEntryArn", attribute: "access_entry_arn", isReadOnly: true },
    { api: "createdAt", attribute: "created_at", read: toSeconds, isReadOnly: true },
    { api: "modifiedAt", attribute: "modified_at", read: toSeconds, isReadOnly: true },
    { api: "tags", attribute: "tags", read: (_tags, record) => tagsOf(record) },
    ["username", "user_name"],
    ["type", "type"],
  ],
};

/** The fields of an associated access policy. */
export const associatedPolicyMapping: ResourceMapping = {
  type: policyType,
  model: "AssociatedAccessPolicy",
  fields: [
    ["policyArn", "policy_arn"],
    ["accessScope.type", "access_scope.0.type"],
    { api: "accessScope.namespaces", attribute: "access_scope.0.namespaces", read: toSorted },
    { api: "associatedAt", attribute: "associated_at", read: toSeconds, isReadOnly: true },
    { api: "modifiedAt", attribute: "modified_at", read: toSeconds, isReadOnly: true },
  ],
};

/** Operations on access entries and their policies. */
export const accessEntryOperations: readonly ApiOperation[] = [
  {
    name: "CreateAccessEntry",
    match: { method: "POST", path: "/clusters/{name}/access-entries" },
    touches: { type, operation: "create" },
    async run(call) {
      const cluster = await getCluster(call);
      const { clientRequestToken: token, ...request } = objectOf(call.body);
      const config = writeFields(accessEntryMapping, { ...request, clusterName: cluster.id });
      const { record } = await call.operations.create(
        type,
        { ...config, region: regionOf(call) },
        { token: textOf(token), request: { ...request, clusterName: cluster.id } },
      );
      return { content: { accessEntry: readFields(accessEntryMapping, record) } };
    },
  },
  {
    name: "DescribeAccessEntry",
    match: { method: "GET", path: "/clusters/{name}/access-entries/{principalArn}" },
    touches: { type, operation: "read" },
    run: async (call) => ({ content: { accessEntry: readFields(accessEntryMapping, await getEntry(call)) } }),
  },
  {
    name: "ListAccessEntries",
    match: { method: "GET", path: "/clusters/{name}/access-entries" },
    touches: { type, operation: "read" },
    async run(call) {
      const cluster = await getCluster(call);
      const entries = (await listHere(call, type)).filter(({ attributes }) => attributes["cluster_name"] === cluster.id);
      const { items, ...rest } = pageOf(call, entries, ({ id }) => id);
      return { content: { accessEntries: items.map(({ attributes }) => textOf(attributes["principal_arn"])), ...rest } };
    },
  },
  {
    name: "UpdateAccessEntry",
    match: { method: "POST", path: "/clusters/{name}/access-entries/{principalArn}" },
    touches: { type, operation: "update" },
    async run(call) {
      const { clientRequestToken: token, ...request } = objectOf(call.body);
      const patch = writeFields(accessEntryMapping, request);
      const note = { token: textOf(token), request, isInstant: true };
      const { record } = await call.operations.update(await getEntry(call), patch, note);
      return { content: { accessEntry: readFields(accessEntryMapping, record) } };
    },
  },
  {
    name: "DeleteAccessEntry",
    match: { method: "DELETE", path: "/clusters/{name}/access-entries/{principalArn}" },
    touches: { type, operation: "delete" },
    async run(call) {
      const entry = await getEntry(call);
      for (const policy of await listPolicies(call, entry)) await call.operations.delete(policy);
      await call.operations.delete(entry);
      return { content: {} };
    },
  },
  {
    name: "AssociateAccessPolicy",
    match: { method: "POST", path: "/clusters/{name}/access-entries/{principalArn}/access-policies" },
    touches: { type: policyType, operation: "create" },
    async run(call) {
      const entry = await getEntry(call);
      const request = objectOf(call.body);
      const policyArn = textOf(request["policyArn"]);
      const known = (await listPolicies(call, entry)).find(({ attributes }) => attributes["policy_arn"] === policyArn);
      // A repeated association replaces the scope.
      if (known !== undefined) await call.operations.delete(known);
      const config = {
        ...writeFields(associatedPolicyMapping, request),
        cluster_name: textOf(entry.attributes["cluster_name"]),
        principal_arn: textOf(entry.attributes["principal_arn"]),
        region: regionOf(call),
      };
      const { record } = await call.operations.create(policyType, config);
      return { content: { ...ofEntry(entry), associatedAccessPolicy: readFields(associatedPolicyMapping, record) } };
    },
  },
  {
    name: "ListAssociatedAccessPolicies",
    match: { method: "GET", path: "/clusters/{name}/access-entries/{principalArn}/access-policies" },
    touches: { type: policyType, operation: "read" },
    async run(call) {
      const entry = await getEntry(call);
      const { items, ...rest } = pageOf(call, await listPolicies(call, entry), ({ id }) => id);
      const associatedAccessPolicies = items.map((record) => readFields(associatedPolicyMapping, record));
      return { content: { ...ofEntry(entry), associatedAccessPolicies, ...rest } };
    },
  },
  {
    name: "DisassociateAccessPolicy",
    match: { method: "DELETE", path: "/clusters/{name}/access-entries/{principalArn}/access-policies/{policyArn}" },
    touches: { type: policyType, operation: "delete" },
    async run(call) {
      const entry = await getEntry(call);
      const arn = parameterOf(call, "policyArn");
      const policy = (await listPolicies(call, entry)).find(({ attributes }) => attributes["policy_arn"] === arn);
      if (policy === undefined)
        return refuse(notFound(`The specified policyArn ${arn} is not associated with the access entry.`));
      await call.operations.delete(policy);
      return { content: {} };
    },
  },
];

function ofEntry({ attributes }: CloudRecord): Record<string, string> {
  return { clusterName: textOf(attributes["cluster_name"]), principalArn: textOf(attributes["principal_arn"]) };
}

async function getEntry(call: ApiCall): Promise<CloudRecord> {
  const cluster = await getCluster(call);
  const found = await findHere(call, type, `${cluster.id}:${parameterOf(call, "principalArn")}`);
  return (
    found ??
    refuse(
      notFound(
        "The specified principalArn could not be found. You can view your available access entries with 'list-access-entries'.",
      ),
    )
  );
}

async function listPolicies(call: ApiCall, { attributes }: CloudRecord): Promise<readonly CloudRecord[]> {
  const same = ["cluster_name", "principal_arn"];
  return (await listHere(call, policyType)).filter((record) =>
    same.every((name) => record.attributes[name] === attributes[name]),
  );
}

import type { KubeObject } from "../cluster/kube-object.ts";
import type { Schema } from "../schema/schema.ts";
import type { Kind } from "./kinds.ts";

/** One version of a kind that a CustomResourceDefinition defines. */
export interface CustomKind extends Kind {
  readonly openSchema: Schema;
  readonly columns: readonly CustomColumn[];
  readonly scale: ScalePaths | undefined;
  readonly selectableFields: readonly string[];
  /** The version in which objects are stored. */
  readonly storageVersion: string;
}

/** A column from `additionalPrinterColumns`. */
export interface CustomColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly jsonPath: string;
  readonly priority?: number;
}

/** The field paths of the `scale` subresource. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema?: { openAPIV3Schema?: Schema };
  readonly subresources?: { status?: object; scale?: ScalePaths };
  readonly additionalPrinterColumns?: CustomColumn[];
  readonly selectableFields?: { jsonPath: string }[];
}

/** Returns the kinds of an established definition, one per served version. */
export function customKinds(definition: KubeObject): CustomKind[] {
  const conditions = (definition.status?.conditions ?? []) as { type: string; status: string }[];
  if (!conditions.some(({ type, status }) => type === "Established" && status === "True")) return [];
  const { group, names, scope, versions } = definition.spec;
  const storageVersion = (versions as Version[]).find(({ storage }) => storage)?.name ?? "";
  return (versions as Version[])
    .filter(({ served }) => served)
    .map((version) => ({
      group,
      version: version.name,
      kind: names.kind,
      resource: names.plural,
      singular: names.singular ?? String(names.kind).toLowerCase(),
      namespaced: scope === "Namespaced",
      shortNames: names.shortNames ?? [],
      categories: names.categories ?? [],
      subresources: [...(version.subresources?.status ? ["status"] : []), ...(version.subresources?.scale ? ["scale"] : [])],
      schema: `${String(group).split(".").toReversed().join(".")}.${version.name}.${names.kind}`,
      openSchema: withMetadata(version.schema?.openAPIV3Schema ?? {}, { group, version: version.name, kind: names.kind }),
      columns: version.additionalPrinterColumns ?? [{ name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" }],
      scale: version.subresources?.scale,
      selectableFields: (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, "")),
      storageVersion,
    }));
}

function withMetadata(schema: Schema, gvk: { group: string; version: string; kind: string }): Schema {
  return {
    ...schema,
    type: "object",
    properties: {
      ...schema.properties,
      apiVersion: { type: "string", description: "APIVersion defines the versioned schema of this representation of an object." },
      kind: { type: "string", description: "Kind is a string value representing the REST resource this object represents." },
      metadata: { $ref: "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" },
    },
    "x-kubernetes-group-version-kind": [gvk],
  };
}

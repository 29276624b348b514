import type { KindName, PreviewItemJson } from "@cloudwright/api-client";
import { getKind } from "@cloudwright/contract/kinds";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { client, toFault } from "../../data/client.ts";
import { placeOf } from "../../data/paths.ts";
import { useCan } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { stateResourcesQuery } from "../../data/queries.ts";
import type { Placed } from "../../data/references.ts";
import { useProbe } from "../../preflight/use-probe.ts";

/** Whether to keep or delete volumes bound to persistent volume claims. If empty, the settings of the cluster and its volumes apply. */
export type VolumeChoice = "" | "retain" | "delete";

/** The cloud resources that the deletion of one entity removes or keeps. */
export interface Removal {
  /** `none`: the entity has no resources of its own. `slow`: listing is taking a long time, and users can continue without the list. */
  readonly state: "none" | "busy" | "slow" | "done" | "failed";
  readonly items: readonly PreviewItemJson[];
  /** The reason why the list is incomplete or missing. */
  readonly notes: readonly string[];
}

const nothing: Removal = { state: "none", items: [], notes: [] };

/**
 * Lists the resources that the deletion of an entity would remove or keep. The list comes from an agent, because it includes load balancers
 * and volumes that clusters create themselves. Once a deletion has started, the list comes from the Terraform state instead. `isWithOwner`
 * is true if the entity's owner is deleted too. The entity's resources are then listed with those of the owner.
 */
export function useRemoval({ kind, entity }: Placed, volumes: VolumeChoice, isWithOwner = false): Removal {
  const { metadata, status } = entity;
  const project = useProject();
  const can = useCan();
  const isKept = metadata.deletionPolicy === "retain";
  const isPreviewed = getKind(kind).hasRemovalPreview === true && !isKept && !isWithOwner && metadata.deletedAt === undefined;
  const hasState = getKind(kind).hasDriftChecks === true && !isPreviewed && !isKept && (status?.observedGeneration ?? 0) > 0;
  const resources = useQuery({
    ...stateResourcesQuery(project, metadata.uid),
    enabled: hasState && can("StateResource", "list", metadata.environment ?? ""),
  });
  const probe = useProbe((onWarning) =>
    startPreview(placeOf(project, kind, metadata.parent), kind, metadata.name, volumes, onWarning),
  );
  // The probe is a new object on every render, so it is not in the dependency list. Changing the volume choice restarts the probe.
  useEffect(() => {
    if (isPreviewed) probe.begin();
  }, [isPreviewed, volumes]);
  if (isPreviewed) {
    if (probe.state === "failed") {
      const reason = probe.error === undefined ? probe.status?.message : toFault(probe.error).message;
      return { state: "failed", items: [], notes: [`The resources could not be listed: ${reason ?? "unknown error"}`] };
    }
    if (probe.state !== "done") return { ...nothing, state: probe.isSlow ? "slow" : "busy" };
    const notes = (probe.status?.findings ?? []).map(({ message = "", help = "" }) => `${message}. ${help}`);
    return { state: "done", items: probe.status?.preview ?? [], notes };
  }
  if (resources.isLoading) return { ...nothing, state: "busy" };
  if (resources.error !== null)
    return { state: "failed", items: [], notes: [`The resources could not be listed: ${toFault(resources.error).message}`] };
  const items = (resources.data?.items ?? []).map(({ address = "", id = "" }) => ({
    part: "infrastructure",
    name: address,
    action: "delete",
    message: id,
  }));
  return items.length === 0 ? nothing : { state: "done", items, notes: [] };
}

async function startPreview(
  place: ReturnType<typeof placeOf>,
  kind: KindName,
  name: string,
  volumes: VolumeChoice,
  onWarning: (warning: string) => void,
): Promise<{ readonly metadata: { readonly name: string } }> {
  let operation = "";
  await client.resource(kind, place).delete(name, {
    preview: true,
    cascade: true,
    volumes: volumes === "" ? undefined : volumes,
    onAccepted: (accepted) => (operation = accepted),
    onWarning,
  });
  if (operation === "") throw new Error("it is already being deleted");
  return { metadata: { name: operation } };
}

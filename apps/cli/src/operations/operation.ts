import type { EntityByKind, Stored } from "@cloudwright/api-client";
import { getKind, isEntityKind } from "@cloudwright/contract/kinds";
import type { Session } from "../connection/session.ts";

/** An operation as the server gives it. */
export type Operation = Stored<EntityByKind["Operation"]>;

/** Which operation is meant, and where. */
export interface OperationRef {
  readonly project: string;
  readonly name: string;
}

/** Whether work on it goes on or is still to come. */
export function isOpen({ status }: Operation): boolean {
  return !["DONE", "FAILED", "CANCELLED"].includes(status?.state ?? "");
}

/** `create cluster/dev`: what an operation does to what. */
export function renderDeed({ spec = {} }: Operation): string {
  const { verb = "change", entityKind = "", entityName = "", candidateKind, candidateName } = spec;
  // What is looked at before it exists is what the work is about, not what it would lie in.
  const [kind, name] = candidateName ? [candidateKind || "Cluster", candidateName] : [entityKind, entityName];
  const word = isEntityKind(kind) ? getKind(kind).words[0] : kind.toLowerCase();
  return `${verb} ${word}/${name}`;
}

/** `RUNNING 40%: creating subnets`: where an operation stands. */
export function renderStanding(operation: Operation): string {
  const { state = "WAITING", progressPercent = 0, message = "" } = operation.status ?? {};
  const percent = isOpen(operation) && progressPercent > 0 ? ` ${progressPercent}%` : "";
  const more = message === "" || message.toUpperCase() === state ? "" : `: ${message}`;
  return `${state}${percent}${more}`;
}

const mostNamed = 5;

/** The command that follows these operations. */
export function renderFollowCommands(session: Session, refs: readonly OperationRef[]): string[] {
  const projects = new Set(refs.map(({ project }) => project));
  return [...projects].map((project) => {
    const names = refs.filter((ref) => ref.project === project).map(({ name }) => name);
    const where = session.projectIsExplicit || project !== session.project ? ` -p ${project}` : "";
    return names.length > mostNamed ? `cloud${where} watch operations` : `cloud${where} operation watch ${names.join(" ")}`;
  });
}

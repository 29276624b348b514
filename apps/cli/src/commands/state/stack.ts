import type { StateJson } from "@cloudwright/api-client";
import { Fault } from "@cloudwright/platform/fault";
import { InvalidArgumentError, type Command } from "commander";
import type { Session } from "../../connection/session.ts";
import { getItem } from "../../entities.ts";
import { cliFaults } from "../../faults.ts";
import { parseReferences } from "../../references.ts";

const uid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Adds the argument that names a state. */
export function addStackArgument(command: Command): Command {
  return command.argument("<entity>", "KIND/NAME, or the uid of an entity, which may be gone");
}

/** The uid of the entity whose state is meant. */
export async function requireStack(session: Session, text: string): Promise<string> {
  if (uid.test(text)) return text;
  const [named] = text.includes("/") ? parseReferences(undefined, [text]) : [];
  const reference = named?.references[0];
  if (reference === undefined) throw new Fault(cliFaults.usage, `"${text}" is neither KIND/NAME nor the uid of an entity`);
  return (await getItem(session, reference)).entity.metadata.uid;
}

/** A version on the command line. */
export function parseVersion(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("It takes the number of a version.");
  return Number(text);
}

/** How a state is called in what is said about it. */
export function nameState({ entityKind = "", entityName = "", entityUid = "" }: StateJson): string {
  return entityName === "" ? entityUid : `${entityKind.toLowerCase()}/${entityName}`;
}

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure, type FlagValues } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { parseYamlDocuments, toDocuments } from "../documents.ts";
import { getItem, resourceOf } from "../entities.ts";
import { cliFaults } from "../faults.ts";
import { addAllowFlag, checkAllow, readAllow, takesAllow } from "../flags/allow-flag.ts";
import { addKindArgument } from "../list-flags.ts";
import { itemName, toDocument, type Item } from "../output/item.ts";
import { renderYaml } from "../output/output.ts";
import { requireReferences } from "../references.ts";
import { renderError } from "../report-error.ts";
import { isSameWish } from "../same-spec.ts";
import { conclude, type Change } from "../operations/conclude.ts";
import { addWaitFlags } from "../operations/wait.ts";

/**
 * `cloud edit cluster dev`: opens an entity in $EDITOR and saves the result. If the server rejects it, the editor opens again and shows
 * the error.
 */
export const configureEdit: Configure = (command, context) => {
  const { kind } = context;
  addKindArgument(command, kind, "<names...>");
  if (kind === undefined || takesAllow(kind)) addAllowFlag(command);
  addWaitFlags(command, "the entity is RUNNING again");
  addExamples(
    command,
    kind === undefined ? "cloud edit cluster dev" : `cloud ${kind.words[0]} edit dev`,
    "EDITOR='code --wait' cloud edit cluster dev",
  );
  onServer(command, context, async (session, args, flags) => {
    const references = requireReferences("edit", kind, args, { cluster: flags["cluster"] as string | undefined });
    for (const reference of references) checkAllow(reference.kind, flags);
    for (const reference of references) {
      const item = await getItem(session, reference);
      const saved = await editEntity(session, item, flags);
      if (saved === undefined) session.output.done(`${itemName(item)} unchanged`);
      else await conclude(session, saved, flags);
    }
  });
};

/** Reopens the editor until the server accepts the result. Returns undefined if the user changed nothing. */
async function editEntity(session: Session, item: Item, flags: FlagValues): Promise<Change | undefined> {
  const directory = mkdtempSync(join(tmpdir(), "cloud-edit-"));
  const file = join(directory, `${item.kind.words[0]}-${item.entity.metadata.name}.yaml`);
  const original = await renderYaml(toEditable(item));
  let text = original;
  let seen = item.entity;
  let trouble: Fault | undefined;
  let keep = false;
  try {
    for (;;) {
      writeFileSync(file, renderComments(item, trouble) + text, { mode: 0o600 });
      const edited = await openEditor(session, file);
      if (edited === text || edited.trim() === "") {
        if (trouble === undefined) return undefined;
        keep = true;
        session.output.note(`${itemName(item)} was not changed; your edits are saved in ${file}`);
        throw trouble;
      }
      if (edited === original) return undefined;
      text = edited;
      try {
        return await saveOver(session, { ...item, entity: seen }, text, flags);
      } catch (error) {
        if (!(error instanceof Fault) || !["invalid", "conflict"].includes(error.kind)) throw error;
        trouble = error;
        // The editor opens again and reports the conflict. Saving a second time overwrites the server's version.
        if (error.kind === "conflict") seen = await readAgain(session, item);
      }
    }
  } finally {
    if (!keep) rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Saves the edited text. Retries after a conflict if only the status changed, because running operations update the status continuously.
 */
async function saveOver(session: Session, item: Item, text: string, flags: FlagValues): Promise<Change> {
  for (let seen = item.entity; ;) {
    try {
      return await save(session, { ...item, entity: seen }, text, flags);
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== "conflict") throw error;
      const now = await readAgain(session, item);
      if (now.metadata.resourceVersion === seen.metadata.resourceVersion || !isSameWish(seen, now)) throw error;
      seen = now;
    }
  }
}

const readAgain = async (session: Session, item: Item): Promise<Item["entity"]> =>
  (await getItem(session, { ...item, name: item.entity.metadata.uid })).entity;

async function save(session: Session, item: Item, text: string, flags: FlagValues): Promise<Change> {
  const documents = (await parseYamlDocuments(text, "the edited text")).flatMap((value) => toDocuments(value, "the edited text"));
  const [document] = documents;
  if (document === undefined || documents.length !== 1)
    throw new Fault(cliFaults.bad_file, "the edited text must contain exactly one document");
  if (document.kind !== item.kind || document.entity.metadata.name !== item.entity.metadata.name) {
    throw new Fault(cliFaults.bad_file, "kind and name cannot be changed; create a new entity instead");
  }
  const { resourceVersion } = item.entity.metadata;
  const entity = { ...document.entity, metadata: { ...document.entity.metadata, resourceVersion } };
  let accepted: string | undefined;
  const onAccepted = (operation: string): void => void (accepted = operation);
  const options = { signal: session.world.signal, onAccepted, ...readAllow(item.kind, flags) };
  const stored = await resourceOf(session, item.kind, item.cluster).update(item.entity.metadata.uid, entity, options);
  return { item: { ...item, entity: stored }, accepted, done: "changed" };
}

async function openEditor({ world }: Session, file: string): Promise<string> {
  const editor = world.environment["VISUAL"] || world.environment["EDITOR"] || "vi";
  if (!(await world.edit(editor, file))) throw new Fault(cliFaults.edit_failed, `the editor "${editor}" exited with an error`);
  return readFileSync(file, "utf8").replace(/^(#.*\n)+/, "");
}

/** Returns the fields to show in the editor: labels, spec, and the entity's kind and name for reference. */
function toEditable(item: Item): Record<string, unknown> {
  const { name, labels = {}, annotations = {}, environment, deletionProtection, deletionPolicy } = item.entity.metadata;
  const metadata = {
    name,
    labels,
    annotations,
    ...(environment ? { environment } : {}),
    ...(deletionProtection ? { deletionProtection } : {}),
    ...(deletionPolicy ? { deletionPolicy } : {}),
  };
  return { ...toDocument(item), metadata, spec: item.entity.spec ?? {}, status: undefined };
}

function renderComments(item: Item, trouble: Fault | undefined): string {
  const lines = [
    `${itemName(item)}: save to apply your changes, or close without changes to cancel. Secrets are not shown and stay unchanged.`,
  ];
  if (trouble !== undefined) lines.push("", "The server rejected the change:", ...renderError(trouble));
  return lines.map((line) => `# ${line}`.trimEnd() + "\n").join("");
}

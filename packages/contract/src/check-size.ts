import type { Message } from "@bufbuild/protobuf";
import type { FieldViolation } from "@cloudwright/platform";

/** Every list and every watcher carries the annotations, so their total size is limited. */
const maxAnnotationCharacters = 256 * 1024;

/** Rejects annotations that are too large together. */
export function checkSize(
  message: Message & { metadata?: { annotations?: Readonly<Record<string, string>> } },
): FieldViolation[] {
  let size = 0;
  for (const [name, value] of Object.entries(message.metadata?.annotations ?? {})) size += name.length + value.length;
  if (size <= maxAnnotationCharacters) return [];
  const text = `contain ${size} characters in total; the limit is ${maxAnnotationCharacters}`;
  return [{ field: "metadata.annotations", message: text }];
}

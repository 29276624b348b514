import type { Message } from "@bufbuild/protobuf";
import type { FieldViolation } from "@cloudwright/platform";

/** Every list response and watch event contains the annotations, so their total size is limited. */
const maxAnnotationCharacters = 256 * 1024;

/** Returns a violation if the annotations of an entity are too large in total. */
export function checkSize(
  message: Message & { metadata?: { annotations?: Readonly<Record<string, string>> } },
): FieldViolation[] {
  let size = 0;
  for (const [name, value] of Object.entries(message.metadata?.annotations ?? {})) size += name.length + value.length;
  if (size <= maxAnnotationCharacters) return [];
  const text = `must not exceed ${maxAnnotationCharacters} characters in total; found ${size}`;
  return [{ field: "metadata.annotations", message: text }];
}

import type { DescField, DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";
import { comments } from "../../gen/comments.ts";

/** Returns the comment above a declaration in its proto file, or an empty string. */
export function getComment(desc: DescMessage | DescField | DescService | DescMethod): string {
  return comments[qualifiedName(desc)] ?? "";
}

function qualifiedName(desc: DescMessage | DescField | DescService | DescMethod): string {
  return desc.kind === "message" || desc.kind === "service" ? desc.typeName : `${desc.parent.typeName}.${desc.name}`;
}

import type { Tag } from "@aws-sdk/client-ec2";
import type { AwsContext } from "../library/context.ts";
import type { compareTags } from "./part-support.ts";

/** Returns the tags of an EC2 resource as a map. */
export function readTags({ Tags = [] }: { readonly Tags?: Tag[] | undefined }): Record<string, string> {
  return Object.fromEntries(Tags.map(({ Key = "", Value = "" }) => [Key, Value]));
}

/** Sets and removes tags of an EC2 resource. */
export async function changeEc2Tags(
  context: AwsContext,
  { id, region }: { readonly id: string; readonly region: string },
  { set, remove }: ReturnType<typeof compareTags>,
  signal: AbortSignal,
): Promise<void> {
  const Tags = Object.entries(set).map(([Key, Value]) => ({ Key, Value }));
  if (Tags.length === 0 && remove.length === 0) return;
  await context.call({ doing: `tag ${id}`, region, signal }, async (clients) => {
    const { CreateTagsCommand, DeleteTagsCommand } = await import("@aws-sdk/client-ec2");
    const client = await clients.ec2();
    if (Tags.length > 0) await client.send(new CreateTagsCommand({ Resources: [id], Tags }));
    if (remove.length > 0) await client.send(new DeleteTagsCommand({ Resources: [id], Tags: remove.map((Key) => ({ Key })) }));
  });
}

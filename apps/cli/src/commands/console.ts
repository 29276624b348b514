import { trimEnd } from "@cloudwright/platform/trim-end";
import { addExamples, onServer, type Configure } from "../command-context.ts";
import { addCommonFlags } from "../common-flags.ts";

/** `cloud console`: prints a link that signs the user in to the web console. The link works once and expires after five minutes. */
export const configureConsole: Configure = (command, context) => {
  addCommonFlags(command);
  addExamples(command, "cloud console", 'xdg-open "$(cloud console)"');
  onServer(command, context, async ({ client, output, world, target }) => {
    // The token follows the `#` in the link. Browsers do not send that part, so the token never appears in a server or proxy log.
    const { token = "", expiresAt } = await client.createToken({ audience: "console" }, { signal: world.signal });
    output.note(`the link works once and expires at ${expiresAt}`);
    output.line(`${trimEnd(target.server, "/")}/sign-in#token=${token}`);
  });
};

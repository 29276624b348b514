import { addExamples, onServer, type Configure } from "../command-context.ts";
import { addCommonFlags } from "../common-flags.ts";

/** `cloud console`: prints a link that signs you in to the web console. The link can be used once and expires after five minutes. */
export const configureConsole: Configure = (command, context) => {
  addCommonFlags(command);
  addExamples(command, "cloud console", 'xdg-open "$(cloud console)"');
  onServer(command, context, async ({ client, output, world, target }) => {
    // Browsers do not send the part after `#`, so the token reaches no server or proxy log.
    const { token = "", expiresAt } = await client.createToken({ audience: "console" }, { signal: world.signal });
    output.note(`the link works once and expires at ${expiresAt}`);
    output.line(`${target.server.replace(/\/+$/, "")}/sign-in#token=${token}`);
  });
};

import { addExamples, onServer, type Configure } from "../command-context.ts";
import { addCommonFlags } from "../common-flags.ts";

/** `cloud console`: prints a link that signs in to the web console, once, within five minutes. */
export const configureConsole: Configure = (command, context) => {
  addCommonFlags(command);
  addExamples(command, "cloud console", 'xdg-open "$(cloud console)"');
  onServer(command, context, async ({ client, output, world, target }) => {
    // Behind the `#`, which browsers send to nobody: not to the server's log, not to a proxy's.
    const { token = "", expiresAt } = await client.createToken({ audience: "console" }, { signal: world.signal });
    output.note(`works once, until ${expiresAt}`);
    output.line(`${target.server.replace(/\/+$/, "")}/sign-in#token=${token}`);
  });
};

import { addExamples, onServer, type Configure } from "../command-context.ts";
import { isStructured } from "../output/output.ts";

/** `cloud whoami`: shows the current user, the credential in use and the user's roles. */
export const configureWhoAmI: Configure = (command, context) => {
  addExamples(command, "cloud whoami", "cloud whoami -o name");
  onServer(command, context, async ({ client, output, target, world }) => {
    const answer = await client.whoAmI({ signal: world.signal });
    if (isStructured(output.format)) return output.structure(answer);
    if (output.format === "name") return output.line(answer.user ?? "");
    output.line(`user:       ${answer.user}\ncredential: ${answer.credential}\nserver:     ${target.server}`);
    if ((answer.grants ?? []).length === 0) return output.line("roles:      none");
    output.line("");
    output.table(
      [
        { title: "ROLE", value: ({ role = "" }) => role },
        { title: "PROJECT", value: ({ project = "" }) => (project === "system" ? "all (system)" : project) },
        { title: "ENVIRONMENT", value: ({ environment }) => environment || "*" },
      ],
      answer.grants ?? [],
    );
  });
};

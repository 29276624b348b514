import { Fault } from "@cloudwright/platform";
import { sshFaults } from "./faults.ts";

/**
 * Renders a command for a POSIX shell. SSH passes a command as one string, which the user's shell on the machine parses, so each word is
 * quoted and reaches the program unchanged.
 */
export function quoteArgv(argv: readonly string[]): string {
  if (argv.length === 0 || argv[0] === "")
    throw new Fault(sshFaults.bad_argument, "the command is empty; give at least the name of a program");
  return argv.map(quoteWord).join(" ");
}

function quoteWord(word: string, index: number): string {
  if (word.includes("\0")) throw new Fault(sshFaults.bad_argument, `word ${index + 1} of the command contains a NUL character`);
  if (!word.isWellFormed()) throw new Fault(sshFaults.bad_argument, `word ${index + 1} of the command is not valid Unicode`);
  return `'${word.replaceAll("'", "'\\''")}'`;
}

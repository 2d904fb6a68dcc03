import { CommandError } from "../run-command";

/** The operator has to decide or repair what the message says. Nothing was changed. */
export class CopyRefused extends CommandError {
  override readonly exitCode = 3;
}

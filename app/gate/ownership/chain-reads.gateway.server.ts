import { askByProbe } from "./chain-probe.gateway.server";
import type { Answers, Question } from "./chain-probe.gateway.server";
import { askPlainly } from "./plain-reads.gateway.server";

/**
 * The reads, and the verdict on a signature, in the best way the chain allows: all in one request which also
 * tells the chain and the block, or, where that is refused, as ordinary calls side by side. Throws
 * chain-unavailable when there is no answer.
 */
export async function askChain(question: Question): Promise<Answers> {
  const { client, signed } = question;
  const { deployless } = client;
  // Only the probe can ask a wallet that does not exist yet: worth a try even where it was refused before.
  if (!signed?.deployment && !deployless.shouldTry()) return await askPlainly({ ...question, refused: null });
  const probed = await askByProbe(question);
  if (!("refused" in probed)) {
    deployless.forget();
    return probed;
  }
  // From here on, the answers do not tell themselves which chain they come from.
  client.recheckChain();
  // A revert needs no second read where plain reads have worked before.
  const refused = deployless.wasRefused() ? null : probed.refused;
  const answers = await askPlainly({ ...question, refused });
  // An endpoint refuses a block that it lacks as well, whatever it makes of the probe.
  if (question.block === undefined) deployless.noteRefusal();
  return answers;
}

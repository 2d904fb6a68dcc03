import { askByProbe } from "./chain-probe.gateway.server";
import type { Probed, Question } from "./chain-probe.gateway.server";
import type { Answers } from "./reads/chain-answers";
import type { OnReading } from "./judge";
import { askPlainly } from "./plain-reads.gateway.server";

type ChainQuestion = Question & {
  /** Asks together with others. */
  askShared?: (question: Question) => Promise<Probed>;
};
type CountedQuestion = ChainQuestion & { onReading?: OnReading | undefined };

/** In one request that also tells chain and block or, where the probe is refused, as ordinary calls. */
export async function askChain({ onReading, ...question }: CountedQuestion): Promise<Answers> {
  const chainId = question.client.chain.id;
  try {
    const answers = await ask(question);
    onReading?.({ chainId, outcome: "ok" });
    return answers;
  } catch (error) {
    onReading?.({ chainId, outcome: "unavailable" });
    throw error;
  }
}

async function ask({ askShared, ...question }: ChainQuestion): Promise<Answers> {
  const { client, signed } = question;
  const { deployless } = client;
  // Only the probe can ask a wallet that does not exist yet: worth a try even where it was refused before.
  if (!signed?.deployment && !deployless.shouldTry()) return await askPlainly(question, null);
  // A signature is judged by code of the signer's choosing, which could spoil the call for others.
  const probed = await (askShared && !signed ? askShared(question) : askByProbe(question));
  if (!("refused" in probed)) {
    deployless.forget();
    return probed;
  }
  // Unlike the probe's, these answers do not say which chain they come from.
  client.recheckChain();
  // A revert needs no second read where plain reads have worked before.
  const answers = await askPlainly(question, deployless.wasRefused() ? null : probed.refused);
  // An endpoint also fails for a block that it lacks, which says nothing about the probe.
  if (question.block === undefined) deployless.noteRefusal();
  return answers;
}

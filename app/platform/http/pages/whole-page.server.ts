/** A finished document. As the body of a `Response` its text would be encoded, passed through a stream, and decoded again. */
export class WholePage extends Response {
  constructor(
    readonly html: string,
    init: ResponseInit,
  ) {
    super(null, init);
  }

  override text(): Promise<string> {
    return Promise.resolve(this.html);
  }
}

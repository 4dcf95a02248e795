/** Reads the bytes at an address from the page, and transfers them to it; a text reports a failure. */
interface Scope {
  onmessage: ((event: MessageEvent<string>) => void) | null;
  postMessage(message: unknown, transfer?: readonly Transferable[]): void;
}

const scope = self as unknown as Scope;

scope.onmessage = async ({ data: address }) => {
  try {
    const answer = await fetch(address, { cache: 'no-store' });
    if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
    const bytes = await answer.arrayBuffer();
    scope.postMessage(bytes, [bytes]);
  } catch (error) {
    scope.postMessage(String(error));
  }
};

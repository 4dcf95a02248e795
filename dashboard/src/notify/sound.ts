/** A short sound of two tones, made by the browser. */

const TONES_HZ = [660, 880];
const TONE_S = 0.12;
const VOLUME = 0.1;

let context: AudioContext | undefined;

/** Plays the sound. A browser plays none before the first click on the page. */
export function playSound(): void {
  try {
    context ??= new AudioContext();
    void context.resume().catch(() => undefined);
    const gain = new GainNode(context, { gain: VOLUME });
    gain.connect(context.destination);
    TONES_HZ.forEach((frequency, place) => {
      const tone = new OscillatorNode(context!, { frequency });
      tone.connect(gain);
      tone.start(context!.currentTime + place * TONE_S);
      tone.stop(context!.currentTime + (place + 1) * TONE_S);
    });
  } catch {
    // A browser without sound shows the notification alone.
  }
}

// Requests to /api: JSON in, JSON out, failures as exceptions with messages for people.

/** A rejected request: `message`, `status` (0 if there was no answer), `field` and `complaints` about a map. */
export class ApiError extends Error {
  constructor(message, { status = 0, field = null, complaints = [] } = {}) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.field = field;
    this.complaints = complaints;
  }
}

const NO_ANSWER = "The server doesn't answer. Check your connection and try again.";

async function request(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...options });
  } catch {
    throw new ApiError(NO_ANSWER);
  }
  const text = await response.text().catch(() => "");
  let body = null;
  try {
    body = text === "" ? null : JSON.parse(text);
  } catch {
    // The answer is not from our server, for example the error page of a proxy.
  }
  if (response.ok) return body;
  throw new ApiError(asSentence(body?.error || reasonFor(response.status)), {
    status: response.status,
    field: body?.field ?? null,
    complaints: body?.complaints ?? [],
  });
}

// Errors of programs begin with a small letter.
export function asSentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function reasonFor(status) {
  if (status === 404) return "That doesn't exist any more.";
  if (status === 413) return "That is too large.";
  if (status === 429) return "Too many requests. Wait a moment and try again.";
  if (status >= 500) return "The server made a mistake or is restarting. Try again in a moment.";
  return `The server rejected the request (${status}).`;
}

/** Reads JSON. `signal` may abort it. */
export function get(path, { signal } = {}) {
  return request(path, { headers: { accept: "application/json" }, signal });
}

/** Sends JSON and returns the answer. */
export function post(path, body = {}) {
  return request(path, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body),
  });
}

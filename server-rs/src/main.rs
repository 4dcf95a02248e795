//! Runs `ingest-server`: arguments, app, listen, ready line, signals, drain, close, exit code.
//!
//! Over 250 lines because every reason to start and to end a process is here.

use std::io::{ErrorKind, Write};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use ingest_server::app::App;
use ingest_server::clock::Clock;
use ingest_server::cluster::link::Link;
use ingest_server::config::{Command, Config, parse_config};
use ingest_server::contract::flags::{EXITS, Stdin};
use ingest_server::contract::{LIMITS, VERSION, fill};
use ingest_server::error::ErrorCode;
use ingest_server::formats::Format;
use ingest_server::http::connection::serve;
use ingest_server::http::port::Port;
use ingest_server::http::socket::SocketFile;
use ingest_server::http::transport::Listeners;
use ingest_server::input::reader::read_input;
use ingest_server::input::{Ended, Input};
use ingest_server::lifecycle::{ReadyFile, process_ended};
use ingest_server::log::{complain, open_log, printable};
use ingest_server::maintenance::run_command;
use ingest_server::platform::StopSignals;
use ingest_server::secret::create_token;
use ingest_server::store::failure::file_code;
use tokio::sync::oneshot;

fn main() -> ExitCode {
    let parsed = || parse_config(std::env::args_os().skip(1), std::env::vars_os());
    let command = match parsed() {
        Ok(Command::Run(_)) if !Clock.is_sound() => {
            complain(EXITS.clock.wrong);
            return ExitCode::from(EXITS.clock.code);
        }
        Ok(Command::Run(config)) => match &config.new_token {
            Some(path) => match create_token(path) {
                // Reads the file as any other, also when another program has created it meanwhile. No server starts
                // without the token: a link without its target exists for the creation, and not for the reader.
                Ok(()) => match parsed() {
                    Ok(Command::Run(config)) if config.new_token.is_some() => {
                        return ExitCode::from(report_unwritable(path, &ErrorKind::NotFound.into()));
                    }
                    other => other,
                },
                Err(error) => return ExitCode::from(report_unwritable(path, &error)),
            },
            None => Ok(Command::Run(config)),
        },
        other => other,
    };
    let config = match command {
        Ok(Command::Run(config)) => *config,
        Ok(Command::Maintain(task)) => return run_command(&task),
        Ok(Command::Print(text)) => {
            print(&text);
            return ExitCode::SUCCESS;
        }
        Err(problems) => {
            problems.iter().for_each(|problem| complain(problem));
            return ExitCode::from(EXITS.config.code);
        }
    };
    open_log(config.log_level);
    if let Some(zone) = &config.unknown_zone {
        tracing::warn!(zone, "this machine's time zone is unknown; --time-zone names another");
    }
    // Accepting and answering are cheap compared with the writer's thread; more threads only cost memory.
    let threads = std::thread::available_parallelism().map_or(2, usize::from).min(4);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build();
    match runtime {
        Ok(runtime) => {
            let code = runtime.block_on(run(config));
            // The end does not wait for the look-up of a name, which has no time limit.
            runtime.shutdown_background();
            code
        }
        Err(error) => {
            complain(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

async fn run(config: Config) -> ExitCode {
    let Ok(mut signals) = StopSignals::listen() else {
        return ExitCode::FAILURE;
    };
    let address = SocketAddr::new(config.host, config.port);
    let port = match Port::bind(address) {
        Ok(port) => port,
        Err(error) => {
            let in_use = error.kind() == std::io::ErrorKind::AddrInUse;
            let message = if in_use { EXITS.port.in_use } else { EXITS.port.unusable };
            complain(&fill(message, &[("address", &address.to_string())]));
            return ExitCode::from(EXITS.port.code);
        }
    };
    let path = config.socket.clone();
    let (file, unix) = match path.as_deref().map(SocketFile::bind).transpose() {
        Ok(bound) => bound.unzip(),
        Err(problem) => {
            let path = path.unwrap_or_default();
            complain(&fill(problem.message(), &[("path", &path)]));
            return ExitCode::from(EXITS.socket.code);
        }
    };
    let link = match config.cluster.clone() {
        Some(source) => match Link::open(source).await {
            Ok(link) => Some(link),
            Err(error) => {
                file.iter().for_each(SocketFile::remove);
                complain(&error.to_string());
                return ExitCode::FAILURE;
            }
        },
        None => None,
    };
    let app = match App::build(config, Clock, link) {
        Ok(app) => app,
        Err(error) => {
            file.iter().for_each(SocketFile::remove);
            complain(&error.to_string());
            return ExitCode::from(error.exit);
        }
    };
    let addresses = port.addresses();
    let url = addresses.first().map_or_else(String::new, |address| format!("http://{address}"));
    if let Some(address) = port.taken {
        let address = address.to_string();
        tracing::warn!(address, "another process listens at this address, to which localhost may lead");
    }
    tokio::spawn(Arc::clone(&app).run());
    app.store.announce(&url);
    // Before the first request, so that no event is missed.
    app.notify(&url).await;
    let mut fatal = app.store.state().fatal();
    let (listeners, counters) = (Listeners { port, unix }, Arc::clone(&app.telemetry));
    let server = tokio::spawn(serve(listeners, file, app.router(), counters, app.draining()));
    let ready_file = match ready(&url, &addresses, &app) {
        Ok(ready_file) => ready_file,
        Err(error) => {
            let code = report_unwritable(app.config.ready_file.as_deref().unwrap_or_default(), &error);
            stop(&app, server, None, End::Asked("no ready file")).await;
            return ExitCode::from(code);
        }
    };
    tracing::info!(url, db = app.config.db, "listening");
    let format = app.config.stdin.map(|format| match format {
        Stdin::Ndjson => Format::Ndjson,
        Stdin::Msgpack => Format::Msgpack,
        Stdin::Protobuf => Format::Protobuf,
    });
    let input = format.map(|format| Input::start(&app, format));

    let end = tokio::select! {
        name = signals.next() => End::Asked(name),
        () = input_ended(app.config.exit_with_stdin) => End::Asked("stdin ended"),
        () = process_ended(app.config.parent_pid) => End::Asked("parent ended"),
        () = app.store.stop_asked() => End::Asked("stop asked"),
        () = idle(&app, input.is_some()) => End::Asked("idle"),
        ended = events_ended(input.as_ref()) => match ended {
            Ended::Clean => End::Asked("stdin ended"),
            Ended::Broken => End::Input,
        },
        code = fatal.wait_for(Option::is_some) => {
            code.ok().and_then(|code| *code).map_or(End::Asked("stop asked"), End::Storage)
        }
    };
    let stopped = tokio::select! {
        () = stop(&app, server, input.as_ref(), end) => true,
        _ = signals.next() => false,
    };
    ready_file.iter().for_each(ReadyFile::remove);
    // The storage may also fail during the stop, at the latest in its last checkpoint (rule STO-06).
    let end = fatal.borrow().map_or(end, End::Storage);
    match (stopped, end) {
        (false, _) => ExitCode::FAILURE,
        (true, End::Storage(_)) => ExitCode::from(EXITS.storage.code),
        (true, End::Input) => ExitCode::from(EXITS.input.code),
        (true, End::Asked(_)) => ExitCode::SUCCESS,
    }
}

/// Reasons why the server ends.
#[derive(Clone, Copy)]
enum End {
    /// A signal, the end of standard input or of a process, a request to stop, or no requests; which one, for the log.
    Asked(&'static str),
    /// Standard input is broken.
    Input,
    /// The storage is lost.
    Storage(ErrorCode),
}

/// Stops the server (rule PRO-07). Connections that do not end in time are cut; acknowledged events are committed in
/// any case.
async fn stop(app: &Arc<App>, server: tokio::task::JoinHandle<()>, input: Option<&Input>, end: End) {
    let reason = match end {
        End::Asked(reason) => reason,
        End::Input => "stdin broken",
        End::Storage(code) => code.as_str(),
    };
    tracing::info!(reason, "stopping");
    app.drain();
    let input = async {
        if let Some(input) = input {
            input.stop().await;
        }
    };
    // Reserves the last second for the checkpoint.
    let wait = Duration::from_millis(LIMITS.shutdown_ms).saturating_sub(Duration::from_secs(1));
    if tokio::time::timeout(wait, async { tokio::join!(server, input) }).await.is_err() {
        tracing::warn!("connections were cut");
    }
    let store = Arc::clone(&app.store);
    if tokio::task::spawn_blocking(move || store.close()).await.is_err() {
        tracing::error!("closing failed");
    }
    tracing::info!("stopped");
}

/// Resolves when standard input ends, if that is enabled (rule PRO-10). The bytes before the end are ignored.
async fn input_ended(is_asked: bool) {
    if !is_asked {
        return std::future::pending().await;
    }
    let (input, ended) = oneshot::channel::<()>();
    read_input(move |_| !input.is_closed());
    // No task sends; the sender is dropped.
    drop(ended.await);
}

/// Resolves when there was no request for the time of `--idle-exit` (rule PRO-18); never while the server reads events
/// from standard input.
async fn idle(app: &App, reads_input: bool) {
    if reads_input {
        return std::future::pending().await;
    }
    app.activity.idle().await;
}

/// Resolves when standard input has ended as a source of events (rule PRO-14); never without such a source.
async fn events_ended(input: Option<&Input>) -> Ended {
    match input {
        Some(input) => input.ended().await,
        None => std::future::pending().await,
    }
}

/// Writes the ready line to its file, if there is one, and prints it (rules PRO-01 and PRO-16).
fn ready(url: &str, addresses: &[String], app: &App) -> std::io::Result<Option<ReadyFile>> {
    let config = &app.config;
    let mut line = serde_json::json!({
        "event": "ready",
        "url": url,
        "addresses": addresses,
        "pid": std::process::id(),
        "runtime": "rust",
        "version": env!("CARGO_PKG_VERSION"),
        "contract": *VERSION,
    });
    if let Some(code) = app.guard.login_code(app.clock.now_s()) {
        line["login_url"] = format!("{url}/?code={code}").into();
    }
    if let Some(socket) = &config.socket {
        line["socket"] = socket.as_str().into();
    }
    let line = format!("{}\n", printable(&line.to_string()));
    let file = config.ready_file.as_deref().map(|path| ReadyFile::write(path, &line)).transpose()?;
    print(&line);
    Ok(file)
}

/// Reports a file that cannot be written; returns the exit code.
fn report_unwritable(path: &str, error: &std::io::Error) -> u8 {
    let values = [("path", path), ("reason", file_code(error).as_str())];
    complain(&fill(EXITS.target.unwritable, &values));
    EXITS.target.code
}

/// Writes to stdout; a closed reader is not an error.
fn print(text: &str) {
    let mut out = std::io::stdout();
    drop(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

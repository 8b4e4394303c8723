"""Programs that do not keep to the protocol, or end when they should not."""

import ctypes, json, os, signal, sys, threading, time

from attack import act, ends, survives


def line_attack(name, kinds, text):
    def attempt():
        os.write(1, text if isinstance(text, bytes) else text.encode())
        time.sleep(1000)
    attempt.__name__ = name
    ends("protocol", kinds)(attempt)

for name, kinds, text in [
    ("a_line_that_is_not_json", "protocol", "left, please\n"),
    ("bytes_that_are_no_text", "protocol", b"\xff\xfe\x00\n"),
    ("an_empty_line", "protocol", "\n"),
    ("deep_json", "protocol", "[" * 100_000 + "\n"),
    ("a_huge_number", "protocol", '{"type":"action","action":1e999999}\n'),
    ("an_action_of_another_kind", "protocol illegal", '{"type":"action","action":{"a":[1,2]}}\n'),
    ("no_action", "protocol", '{"type":"action"}\n'),
    ("an_unknown_message", "protocol", '{"type":"quit"}\n'),
    ("ready_again", "protocol", '{"type":"ready"}\n'),
    ("an_action_of_a_megabyte", "protocol flood illegal", '{"type":"action","action":"' + "U" * 900_000 + '"}\n'),
    ("notes_of_a_megabyte", "protocol flood timeout illegal", '{"type":"action","action":"U","notes":{"' + "n" * 900_000 + '":1}}\n'),
    ("control_characters", "protocol", '{"type":"action","action":"\\u001b[2J\\u0007"}\n'),
    ("a_line_without_end", "flood", "x" * (3 << 20)),
]:
    line_attack(name, kinds, text)

@ends("protocol", "timeout")
def reading_its_answers_away():
    # Its standard output, opened for reading: each byte has one reader.
    answers = os.open("/proc/self/fd/1", os.O_RDONLY | os.O_NONBLOCK)
    os.write(1, b'{"type":"action",')
    def work():
        while True:
            try: os.read(answers, 1 << 16)
            except BlockingIOError: pass
    threading.Thread(target=work, daemon=True).start()
    time.sleep(1000)

@ends("protocol", "timeout crash protocol illegal")
def filling_its_own_input():
    questions = os.open("/proc/self/fd/0", os.O_WRONLY | os.O_NONBLOCK)
    try:
        while True: os.write(questions, b'{"type":"turn","turn":0,"actions":["U"]}\n' * 100)
    except BlockingIOError: pass
    for line in sys.stdin: act(json.loads(line))

@ends("protocol", "flood")
def a_line_of_a_byte_too_much():
    line = b'{"type":"action","action":"'
    os.write(1, line + b"U" * ((1 << 20) - len(line) - 1) + b'"}\n')
    time.sleep(1000)

@ends("protocol", "protocol flood")
def many_lines():
    while True: os.write(1, b"x\n" * 1000)

@ends("protocol", "flood")
def standard_error_without_end():
    while True: os.write(2, b"x" * 100_000)

@ends("protocol", "crash")
def closing_its_output(): os.close(1); time.sleep(1000)

@ends("protocol", "timeout crash")
def closing_its_input(): os.close(0); time.sleep(1000)

@ends("protocol", "crash")
def leaving(): os._exit(0)

@ends("protocol", "crash")
def leaving_with_an_error(): os._exit(3)

@ends("protocol", "crash")
def aborting(): os.abort()

@ends("protocol", "crash")
def a_segmentation_fault(): ctypes.string_at(0)

@ends("protocol", "crash")
def killing_itself(): os.kill(os.getpid(), signal.SIGKILL)

@ends("protocol", "crash timeout")
def becoming_another_program(): os.execv("/bin/sh", ["sh", "-c", "sleep 1000"])

@ends("protocol", "crash")
def leaving_children_behind():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0: time.sleep(1000)
        os._exit(0)
    os.wait()
    os._exit(0)

@survives("protocol")
def keeping_children():
    if os.fork() == 0: time.sleep(1000)

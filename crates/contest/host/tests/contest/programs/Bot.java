// A player that takes the first action that the game offers.
import java.util.Scanner;

public class Bot {
    public static void main(String[] arguments) {
        Scanner lines = new Scanner(System.in);
        String key = "\"actions\":[\"";
        while (lines.hasNextLine()) {
            String line = lines.nextLine();
            if (line.contains("\"type\":\"hello\"")) {
                System.out.println("{\"type\":\"ready\",\"name\":\"first\"}");
            } else if (line.contains("\"type\":\"turn\"")) {
                String rest = line.substring(line.indexOf(key) + key.length());
                String action = rest.substring(0, rest.indexOf('"'));
                System.out.println("{\"type\":\"action\",\"action\":\"" + action + "\"}");
            } else if (line.contains("\"type\":\"bye\"")) {
                break;
            }
        }
    }
}
